import { found } from '#platform/http/common.problems.ts';
import { requireMatch } from '#platform/http/etag.ts';
import { defineRoute } from '#platform/http/route.ts';
import { ProductPath } from '../product.schemas.ts';
import { deleteProduct, lockProduct } from '../product.store.ts';

export const deleteProductRoute = defineRoute({
  method: 'DELETE',
  path: '/catalog/products/{id}',
  operationId: 'deleteProduct',
  summary: 'Delete a product for good',
  description:
    'Its SKU is free again; documents keep their copy of what they sold. To take it back, archive instead.',
  area: 'Catalog',
  permission: 'catalog.write',
  params: ProductPath,
  handle: async ({ tx, params, ifMatch, now }) => {
    const product = found(await lockProduct(tx, params.id), 'product', 'product', params.id);
    requireMatch(ifMatch, product.version);
    deleteProduct(tx, product, now);
  },
});
