import type { DomainEvent } from '#platform/db/outbox.ts';
import type { Product } from './domain/product.ts';
import type { StockMovement } from './domain/stock.ts';
import { presentProduct } from './product.schemas.ts';
import { presentMovement } from './stock.schemas.ts';

/** The public events of the catalog. `data` is the product as its GET shows it, after the change. */
const about = (type: string, product: Product): DomainEvent => ({
  type,
  resourceId: product.id,
  data: presentProduct(product),
});

export const productCreated = (product: Product): DomainEvent => about('product.created', product);
export const productUpdated = (product: Product): DomainEvent => about('product.updated', product);

/** The product as it was last seen. */
export const productDeleted = (product: Product): DomainEvent => about('product.deleted', product);

/** Beside the product, the movement that changed its stock: what is on hand alone does not tell what happened. */
export const stockAdjusted = (product: Product, movement: StockMovement): DomainEvent => ({
  type: 'stock.adjusted',
  resourceId: product.id,
  data: { ...presentProduct(product), movement: presentMovement(movement) },
});
