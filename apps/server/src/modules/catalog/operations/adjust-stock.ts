import { Type } from 'typebox';
import { canonical } from '#kernel/decimal.ts';
import { newId } from '#kernel/ids.ts';
import { found } from '#platform/http/common.problems.ts';
import { settle } from '#platform/http/problem.ts';
import { defineRoute } from '#platform/http/route.ts';
import { DecimalInput, Line, Nullable, Strict, TEXT_LENGTH } from '#platform/http/schemas.ts';
import { moveStock } from '../domain/stock.ts';
import { productProblems } from '../product.problems.ts';
import { ProductPath } from '../product.schemas.ts';
import { lockProduct } from '../product.store.ts';
import { presentMovement, StockMovementResource } from '../stock.schemas.ts';
import { changeStock } from '../stock.store.ts';

export const adjustStockRoute = defineRoute({
  method: 'POST',
  path: '/catalog/products/{id}/stock-adjustments',
  operationId: 'adjustStock',
  summary: 'Adjust the stock of a product',
  area: 'Catalog',
  permission: 'catalog.write',
  params: ProductPath,
  body: Strict({
    quantity: DecimalInput({ notZero: true }, 'What came in; what went out is negative.'),
    reason: Type.Optional(Nullable(Line(TEXT_LENGTH, 'Why: counted, damaged, found again …'))),
    reference: Type.Optional(Nullable(Line(TEXT_LENGTH, 'A delivery note, an order, a count.'))),
  }),
  example: { quantity: '24', reason: 'Delivery', reference: 'DN-1042' },
  response: StockMovementResource,
  problems: [
    productProblems['stock-not-tracked'],
    productProblems['insufficient-stock'],
    productProblems['stock-out-of-range'],
  ],
  creates: (movement) => `/catalog/products/${movement.productId}/stock-movements`,
  handle: async ({ tx, params, body, now }) => {
    const locked = found(await lockProduct(tx, params.id), 'product', 'product', params.id);
    const { reason = null, reference = null } = body;
    const asked = {
      id: newId(),
      kind: 'adjustment',
      quantity: canonical(body.quantity),
      reason,
      reference,
    } as const;
    const { product, movement } = settle(moveStock(locked, asked, now), productProblems);
    changeStock(tx, product, movement);
    return presentMovement(movement);
  },
});
