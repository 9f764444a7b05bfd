import type { Selectable } from 'kysely';
import {
  type Listed,
  listed,
  type Page,
  type PageShape,
  paged,
  shapeOf,
  valuesOf,
} from '#platform/db/page.ts';
import { prepared, preparedShapes, preparedSql, query, unnamed } from '#platform/db/query.ts';
import type { DB } from '#platform/db/schema.ts';
import type { TenantReader } from '#platform/db/tenant-reader.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import { insertRows } from '#platform/db/write-rows.ts';
import { isInStock, type Product } from './domain/product.ts';
import type { StockMovement } from './domain/stock.ts';
import { stockAdjusted } from './product.events.ts';
import { presentMovement } from './stock.schemas.ts';

type MovementRow = Selectable<DB['stock_movement']>;

const insertMovement = insertRows('stock_movement', [
  'id',
  'product_id',
  'number',
  'kind',
  'quantity',
  'balance',
  'reason',
  'reference',
  'invoice_id',
  'created_at',
]);
const setBalance = preparedSql(
  `update product set stock_on_hand = $2, in_stock = $3, movement_count = $4, version = $5, updated_at = $6
    where id = $1`,
);

/** The new balance of a locked product, and the movement that explains it. */
export function changeStock(tx: TenantTx, product: Product, movement: StockMovement): void {
  const { id, stockOnHand, movementCount, version, updatedAt } = product;
  tx.later(setBalance(id, stockOnHand, isInStock(product), movementCount, version, updatedAt));
  recordMovement(tx, product, movement);
}

/** Of a product that is written with its balance in this transaction. */
export function recordMovement(tx: TenantTx, product: Product, movement: StockMovement): void {
  const { id } = product;
  tx.later(
    insertMovement([
      {
        id: movement.id,
        product_id: id,
        number: movement.number,
        kind: movement.kind,
        quantity: movement.quantity,
        balance: movement.balance,
        reason: movement.reason,
        reference: movement.reference,
        invoice_id: movement.invoiceId,
        created_at: movement.createdAt,
      },
    ]),
  );
  tx.emit(stockAdjusted(product, movement));
  tx.audit({
    action: 'stock.adjusted',
    resourceType: 'product',
    resourceId: id,
    after: presentMovement(movement),
  });
}

interface LedgerShape {
  readonly page: PageShape;
  readonly isOfKind: boolean;
}

type LedgerValues = ReturnType<typeof valuesOf> & {
  readonly productId: string;
  readonly kind: string | undefined;
};

const ledger = ({ productId, kind }: LedgerValues, isOfKind: boolean) => {
  const movements = query.selectFrom('stock_movement').where('product_id', '=', productId);
  return isOfKind ? movements.where('kind', '=', kind as string) : movements;
};

const ledgerPage = preparedShapes(({ page, isOfKind }: LedgerShape, values: LedgerValues) =>
  paged(ledger(values, isOfKind).selectAll(), page, values),
);

const countOfKind = prepared((values: LedgerValues) =>
  ledger(values, true).select((expression) => expression.fn.countAll<bigint>().as('count')),
);

/** Since movements are numbered without gaps, the last number is how many there are. */
const countOfAll = prepared((arg: { productId: string }) =>
  query
    .selectFrom('product')
    .select((expression) => expression.cast<bigint>('movement_count', 'bigint').as('count'))
    .select('deleted_at')
    .where('id', '=', arg.productId),
);

/** Undefined where there is no such product. */
export async function listMovements(
  db: TenantReader,
  productId: string,
  kind: string | undefined,
  page: Page,
): Promise<Listed<StockMovement> | undefined> {
  const shape = { page: shapeOf(page), isOfKind: kind !== undefined };
  const values = { ...valuesOf(page), productId, kind };
  const [all, rows, some] = await db.slowBatch([
    countOfAll({ productId }),
    unnamed(ledgerPage(shape, values)),
    ...(kind === undefined ? [] : [unnamed(countOfKind(values))]),
  ]);
  if (all[0]?.deleted_at !== null) return undefined;
  return listed(page, rows, some ?? all, movementOf);
}

const movementOf = (row: MovementRow): StockMovement => ({
  id: row.id,
  productId: row.product_id,
  number: row.number,
  kind: row.kind as StockMovement['kind'],
  quantity: row.quantity,
  balance: row.balance,
  reason: row.reason,
  reference: row.reference,
  invoiceId: row.invoice_id,
  createdAt: row.created_at,
});
