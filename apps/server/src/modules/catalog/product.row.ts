import type { Selectable } from 'kysely';
import { millionths } from '#kernel/decimal.ts';
import { caseless, foldText } from '#kernel/folded-text.ts';
import type { DB } from '#platform/db/schema.ts';
import type { Written } from '#platform/db/write-rows.ts';
import { isInStock, type Product } from './domain/product.ts';

/** All that makes a product; keys and what is kept for sorting stay in the database. */
export const productColumns = [
  'id',
  'sku',
  'name',
  'description',
  'kind',
  'status',
  'unit',
  'price',
  'currency',
  'tax_category',
  'tax_rate',
  'barcode',
  'category',
  'tags',
  'track_stock',
  'stock_on_hand',
  'stock_policy',
  'reorder_point',
  'metadata',
  'movement_count',
  'version',
  'created_at',
  'updated_at',
] as const;

export type ProductRow = Pick<Selectable<DB['product']>, (typeof productColumns)[number]>;

/** Decimals are stored as they are shown, so they are passed on as they come. */
export const productOf = (row: ProductRow): Product => ({
  id: row.id,
  sku: row.sku,
  name: row.name,
  description: row.description,
  kind: row.kind as Product['kind'],
  status: row.status as Product['status'],
  unit: row.unit,
  price: row.price,
  currency: row.currency,
  taxCategory: row.tax_category as Product['taxCategory'],
  taxRate: row.tax_rate,
  barcode: row.barcode,
  category: row.category,
  tags: row.tags,
  trackStock: row.track_stock,
  stockOnHand: row.stock_on_hand,
  stockPolicy: row.stock_policy as Product['stockPolicy'],
  reorderPoint: row.reorder_point,
  metadata: row.metadata as Product['metadata'],
  movementCount: row.movement_count,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** What prices are sorted and filtered by: whole millionths, moved to where all of them fit into a bigint. */
export const priceOrder = (price: string): bigint => millionths(price) - 5n * 10n ** 18n;

/** A key of an index may not be long; so much of a name sorts as well as all of it. */
const NAME_KEY_LENGTH = 200;

/** What a change of its content writes, keys included. */
export const CONTENT_COLUMNS = [
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

export const contentRow = (product: Product): Written<'product', (typeof CONTENT_COLUMNS)[number]> => ({
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

/** What else a new product begins with; later the ledger alone changes it. */
export const NEW_COLUMNS = [
  ...CONTENT_COLUMNS,
  'id',
  'stock_on_hand',
  'in_stock',
  'movement_count',
  'created_at',
] as const;

export const newRow = (product: Product): Written<'product', (typeof NEW_COLUMNS)[number]> => ({
  ...contentRow(product),
  id: product.id,
  stock_on_hand: product.stockOnHand,
  in_stock: isInStock(product),
  movement_count: product.movementCount,
  created_at: product.createdAt,
});
