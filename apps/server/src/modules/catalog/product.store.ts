import { caseless, foldText } from '#kernel/folded-text.ts';
import { prepared, preparedSql, query } from '#platform/db/query.ts';
import type { TenantReader } from '#platform/db/tenant-reader.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import { insertRows, updateRow } from '#platform/db/write-rows.ts';
import { isInStock, type Product } from './domain/product.ts';
import { searchable } from './domain/search-keys.ts';
import { productCreated, productDeleted, productUpdated } from './product.events.ts';
import { skuTaken } from './product.problems.ts';
import { type ProductRow, priceOrder, productColumns, productOf } from './product.row.ts';
import { presentProduct } from './product.schemas.ts';

/** The name under which the number of products is kept. */
export const PRODUCT_COUNT = 'product';

/**
 * A deleted product is kept for the ledger and the audit log, and seen nowhere else. Whether it is deleted is looked at
 * here: asked for in the query, that would let the indexes of the lists serve it too, and a database without statistics
 * took one of them and walked the whole tenant.
 */
type StoredRow = ProductRow & { readonly deleted_at: Date | null };
const visible = (row: StoredRow | undefined): Product | undefined =>
  row === undefined || row.deleted_at !== null ? undefined : productOf(row);

const stored = (id: string) =>
  query.selectFrom('product').where('id', '=', id).select(productColumns).select('deleted_at');
const byId = prepared((arg: { id: string }) => stored(arg.id));
const byIdLocked = prepared((arg: { id: string }) => stored(arg.id).forUpdate());

export const findProduct = async (db: TenantReader, id: string): Promise<Product | undefined> =>
  visible(await db.first<StoredRow>(byId({ id })));

export const lockProduct = async (tx: TenantTx, id: string): Promise<Product | undefined> =>
  visible(await tx.first<StoredRow>(byIdLocked({ id })));

/** Written with the commit: nobody else can hold a product that does not exist yet. */
export function insertProduct(tx: TenantTx, product: Product): void {
  tx.whenViolated('product_sku', () => skuTaken(product.sku));
  tx.later(insert([newRow(product)]));
  writeTags(tx, product);
  writeSearch(tx, product);
  tx.count(PRODUCT_COUNT, 1);
  tx.emit(productCreated(product));
  tx.audit({ ...about('product.created', product), after: presentProduct(product) });
}

/** Of a product that is locked. */
export function updateProduct(tx: TenantTx, before: Product, after: Product): void {
  tx.whenViolated('product_sku', () => skuTaken(after.sku));
  tx.later(update(after.id, contentRow(after)));
  if (before.tags.join('\n') !== after.tags.join('\n')) {
    dropTags(tx, before);
    writeTags(tx, after);
  }
  if (SEARCHED.some((field) => before[field] !== after[field])) {
    tx.later(dropSearch(after.id));
    writeSearch(tx, after);
  }
  tx.emit(productUpdated(after));
  tx.audit({
    ...about('product.updated', after),
    before: presentProduct(before),
    after: presentProduct(after),
  });
}

/** Hides it for good. What it was found by goes, so that its SKU is free again. */
export function deleteProduct(tx: TenantTx, product: Product, now: Date): void {
  tx.later(hide(product.id, now));
  dropTags(tx, product);
  tx.later(dropSearch(product.id));
  tx.count(PRODUCT_COUNT, -1);
  tx.emit(productDeleted(product));
  tx.audit({ ...about('product.deleted', product), before: presentProduct(product) });
}

const about = (action: string, { id }: Product) => ({ action, resourceType: 'product', resourceId: id });

const SEARCHED = ['sku', 'name', 'barcode', 'description'] as const;

const hide = preparedSql(
  'update product set deleted_at = $2, updated_at = $2, version = version + 1 where id = $1',
);
const deleteTags = preparedSql(
  'delete from product_tag where tag_key = any($1) and created_at = $2 and product_id = $3',
);
const dropSearch = preparedSql('delete from product_search where product_id = $1');

const insertTags = insertRows('product_tag', ['product_id', 'tag_key', 'created_at']);
const insertSearch = insertRows('product_search', ['product_id', 'sku', 'name', 'barcode', 'words', 'keys']);

function writeTags(tx: TenantTx, { id, tags, createdAt }: Product): void {
  const rows = tags.map((tag) => ({ product_id: id, tag_key: caseless(tag), created_at: createdAt }));
  if (rows.length > 0) tx.later(insertTags(rows));
}

function dropTags(tx: TenantTx, { id, tags, createdAt }: Product): void {
  if (tags.length > 0) tx.later(deleteTags(tags.map(caseless), createdAt, id));
}

function writeSearch(tx: TenantTx, product: Product): void {
  const { sku, name, barcode, words, keys } = searchable(tx.tenantId, product);
  const keyList = `{${keys.join(',')}}` as unknown as number[]; // as PostgreSQL writes an array; pg would quote each
  tx.later(insertSearch([{ product_id: product.id, sku, name, barcode, words: [...words], keys: keyList }]));
}

/** A key of an index may not be long; so much of a name sorts as well as all of it. */
const NAME_KEY_LENGTH = 200;

const contentRow = (product: Product) => ({
  sku: product.sku,
  sku_key: caseless(product.sku),
  name: product.name,
  name_key: foldText(product.name).slice(0, NAME_KEY_LENGTH),
  description: product.description,
  kind: product.kind,
  status: product.status,
  unit: product.unit,
  price: product.price,
  price_order: priceOrder(product.price),
  currency: product.currency,
  tax_category: product.taxCategory,
  tax_rate: product.taxRate,
  barcode: product.barcode,
  category: product.category,
  category_key: product.category === null ? null : caseless(product.category),
  tags: [...product.tags],
  track_stock: product.trackStock,
  stock_policy: product.stockPolicy,
  reorder_point: product.reorderPoint,
  metadata: JSON.stringify(product.metadata),
  version: product.version,
  updated_at: product.updatedAt,
});

const CONTENT_COLUMNS = [
  'sku',
  'sku_key',
  'name',
  'name_key',
  'description',
  'kind',
  'status',
  'unit',
  'price',
  'price_order',
  'currency',
  'tax_category',
  'tax_rate',
  'barcode',
  'category',
  'category_key',
  'tags',
  'track_stock',
  'stock_policy',
  'reorder_point',
  'metadata',
  'version',
  'updated_at',
] as const;

const newRow = (product: Product) => ({
  ...contentRow(product),
  id: product.id,
  stock_on_hand: product.stockOnHand,
  in_stock: isInStock(product),
  movement_count: product.movementCount,
  created_at: product.createdAt,
});

const insert = insertRows('product', [
  ...CONTENT_COLUMNS,
  'id',
  'stock_on_hand',
  'in_stock',
  'movement_count',
  'created_at',
]);

const update = updateRow('product', CONTENT_COLUMNS);
