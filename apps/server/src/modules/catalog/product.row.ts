import type { Selectable } from 'kysely';
import { millionths } from '#kernel/decimal.ts';
import type { DB } from '#platform/db/schema.ts';
import type { Product } from './domain/product.ts';

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
