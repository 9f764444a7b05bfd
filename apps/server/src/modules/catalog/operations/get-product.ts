import { found } from '#platform/http/common.problems.ts';
import { defineRoute } from '#platform/http/route.ts';
import { ProductPath, ProductResource, presentProduct } from '../product.schemas.ts';
import { findProduct } from '../product.store.ts';

export const getProductRoute = defineRoute({
  method: 'GET',
  path: '/catalog/products/{id}',
  operationId: 'getProduct',
  summary: 'One product',
  area: 'Catalog',
  permission: 'catalog.read',
  params: ProductPath,
  response: ProductResource,
  version: (product) => product.version,
  handle: async ({ db, params }) =>
    presentProduct(found(await findProduct(db, params.id), 'product', 'product', params.id)),
});
