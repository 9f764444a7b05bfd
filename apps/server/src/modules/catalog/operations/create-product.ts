import { Type } from 'typebox';
import { canonical, millionths } from '#kernel/decimal.ts';
import { newId } from '#kernel/ids.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import { invalid, invalidInput } from '#platform/http/common.problems.ts';
import { settle } from '#platform/http/problem.ts';
import { defineRoute } from '#platform/http/route.ts';
import { DecimalInput, Strict } from '#platform/http/schemas.ts';
import {
  contentFaults,
  contentOf,
  newProduct,
  type Product,
  type ProductContent,
} from '../domain/product.ts';
import { moveStock } from '../domain/stock.ts';
import { productProblems } from '../product.problems.ts';
import { ProductResource, presentProduct, productContent } from '../product.schemas.ts';
import { insertProduct } from '../product.store.ts';
import { writeMovement } from '../stock.store.ts';

/** What is on hand to begin with is the first movement of its ledger. */
export function createProduct(
  tx: TenantTx,
  content: ProductContent,
  openingStock: string,
  now: Date,
): Product {
  const product = newProduct(content, newId(), now);
  insertProduct(tx, product);
  if (openingStock === '0') return product;
  const opening = {
    id: newId(),
    kind: 'adjustment',
    quantity: openingStock,
    reason: 'Opening stock',
    reference: null,
  } as const;
  const moved = settle(moveStock(product, opening, now), productProblems);
  writeMovement(tx, moved.product, moved.movement);
  return moved.product;
}

/** What its schema cannot say, told before anything is decided. */
function checkOpening({ trackStock, stockPolicy }: ProductContent, openingStock: string): void {
  if (openingStock !== '0' && !trackStock)
    throw invalid('/stockOnHand', 'needs trackStock: true; the stock of this product is not tracked');
  if (millionths(openingStock) < 0n && stockPolicy === 'deny')
    throw invalid('/stockOnHand', 'must be at least 0 while stockPolicy is deny');
}

export const createProductRoute = defineRoute({
  method: 'POST',
  path: '/catalog/products',
  operationId: 'createProduct',
  summary: 'Create a product',
  area: 'Catalog',
  permission: 'catalog.write',
  body: Strict({
    ...productContent,
    stockOnHand: Type.Optional(
      DecimalInput({}, 'What is on hand to begin with; needs `trackStock`. Later, adjust the stock.'),
    ),
  }),
  example: {
    sku: 'MUG-01',
    name: 'Café mug',
    price: '12.50',
    currency: 'EUR',
    taxRate: '20',
    barcode: '4006381333931',
    category: 'Kitchen',
    tags: ['blue', 'gift'],
    trackStock: true,
  },
  response: ProductResource,
  problems: [productProblems['sku-taken']],
  creates: (product) => `/catalog/products/${product.id}`,
  version: (product) => product.version,
  handle: async ({ tx, body, now }) => {
    const { stockOnHand = 0, ...given } = body;
    const content = contentOf(given);
    const faults = contentFaults(content);
    if (Object.keys(faults).length > 0) throw invalidInput(faults);
    const openingStock = canonical(stockOnHand);
    checkOpening(content, openingStock);
    return presentProduct(createProduct(tx, content, openingStock, now));
  },
});
