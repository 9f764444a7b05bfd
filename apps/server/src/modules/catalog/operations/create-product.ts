import { Type } from 'typebox';
import { canonical } from '#kernel/decimal.ts';
import { newId } from '#kernel/ids.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import { settle } from '#platform/http/problem.ts';
import { defineRoute } from '#platform/http/route.ts';
import { DecimalInput, Strict } from '#platform/http/schemas.ts';
import { contentOf, newProduct, type Product, type ProductContent } from '../domain/product.ts';
import { openingStockFault, openStock } from '../domain/stock.ts';
import { productProblems } from '../product.problems.ts';
import { ProductResource, presentProduct, productContent, taxRule } from '../product.schemas.ts';
import { insertProduct } from '../product.store.ts';
import { recordMovement } from '../stock.store.ts';

function createProduct(tx: TenantTx, content: ProductContent, openingStock: string, now: Date): Product {
  const empty = newProduct(content, newId(), now);
  if (openingStock === '0') {
    insertProduct(tx, empty);
    return empty;
  }
  const opening = { id: newId(), quantity: openingStock };
  const { product, movement } = settle(openStock(empty, opening, now), productProblems);
  insertProduct(tx, product);
  recordMovement(tx, product, movement);
  return product;
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
  rules: [taxRule, { about: ['stockOnHand', 'trackStock', 'stockPolicy'], fault: openingStockFault }],
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
    return presentProduct(createProduct(tx, contentOf(given), canonical(stockOnHand), now));
  },
});
