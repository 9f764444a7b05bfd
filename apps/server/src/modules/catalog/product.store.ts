import { caseless } from '#kernel/folded-text.ts';
import { prepared, preparedSql, query } from '#platform/db/query.ts';
import type { TenantReader } from '#platform/db/tenant-reader.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import { insertRows, updateRow } from '#platform/db/write-rows.ts';
import { hasTags, type Product } from './domain/product.ts';
import { SEARCHED, searchable } from './domain/search-keys.ts';
import { productCreated, productDeleted, productUpdated } from './product.events.ts';
import { skuTaken } from './product.problems.ts';
import {
  CONTENT_COLUMNS,
  contentRow,
  NEW_COLUMNS,
  newRow,
  type ProductRow,
  productColumns,
  productOf,
} from './product.row.ts';
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
  if (!hasTags(before, after.tags)) {
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

const hide = preparedSql(
  'update product set deleted_at = $2, updated_at = $2, version = version + 1 where id = $1',
);
const deleteTags = preparedSql(
  'delete from product_tag where tag_key = any($1) and created_at = $2 and product_id = $3',
);
const dropSearch = preparedSql('delete from product_search where product_id = $1');

const insert = insertRows('product', NEW_COLUMNS);
const update = updateRow('product', CONTENT_COLUMNS);
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
