import { Type } from 'typebox';
import { found } from '#platform/http/common.problems.ts';
import { ListQuery, ListReply, pageReply, readPage } from '#platform/http/list.ts';
import { defineRoute } from '#platform/http/route.ts';
import { OneOf } from '#platform/http/schemas.ts';
import { MOVEMENT_KINDS } from '../domain/stock.ts';
import { ProductPath } from '../product.schemas.ts';
import { presentMovement, StockMovementResource } from '../stock.schemas.ts';
import { listMovements } from '../stock.store.ts';

/** By their numbers: clocks of several nodes may differ, the order of the ledger may not. */
const sorting = { columns: { createdAt: 'number' }, sortBy: 'createdAt', sortDir: 'desc' } as const;

export const listStockMovementsRoute = defineRoute({
  method: 'GET',
  path: '/catalog/products/{id}/stock-movements',
  operationId: 'listStockMovements',
  summary: 'The stock ledger of a product, newest first',
  area: 'Catalog',
  permission: 'catalog.read',
  params: ProductPath,
  query: ListQuery(sorting, { kind: Type.Optional(OneOf(MOVEMENT_KINDS)) }),
  response: ListReply(StockMovementResource),
  handle: async ({ db, params, query }) => {
    const page = readPage(query, sorting);
    const movements = await listMovements(db, params.id, query.kind, page);
    return pageReply(found(movements, 'product', 'product', params.id), page, presentMovement);
  },
});
