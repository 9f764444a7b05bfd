import type { Module } from '#platform/http/module.ts';
import { adjustStockRoute } from './operations/adjust-stock.ts';
import { createProductRoute } from './operations/create-product.ts';
import { deleteProductRoute } from './operations/delete-product.ts';
import { getProductRoute } from './operations/get-product.ts';
import { listProductsRoute } from './operations/list-products.ts';
import { listStockMovementsRoute } from './operations/list-stock-movements.ts';
import { updateProductRoute } from './operations/update-product.ts';
import { productProblems } from './product.problems.ts';

export const catalogModule: Module = {
  name: 'catalog',
  problems: productProblems,
  routes: [
    listProductsRoute,
    createProductRoute,
    getProductRoute,
    updateProductRoute,
    deleteProductRoute,
    adjustStockRoute,
    listStockMovementsRoute,
  ],
};
