import { defineProblems, Problem } from '#platform/http/problem.ts';

export const productProblems = defineProblems({
  'sku-taken': {
    status: 409,
    title: 'SKU Taken',
    meaning: 'Another product of the workspace has this SKU; capitals and small letters count as the same.',
    remedy: 'Choose another SKU, or change the product that has it. A deleted product gives its SKU free.',
  },
  'stock-not-tracked': {
    status: 409,
    title: 'Stock Not Tracked',
    meaning: 'The product has `trackStock: false`, so it has no stock to adjust.',
    remedy: 'Set `trackStock` to true first.',
  },
  'insufficient-stock': {
    status: 409,
    title: 'Insufficient Stock',
    meaning: 'More would be taken than is on hand, and the `stockPolicy` of the product denies that.',
    remedy: 'Take less, add stock first, or set `stockPolicy` to `allow` if stock may fall below zero.',
  },
  'stock-out-of-range': {
    status: 422,
    title: 'Stock Out Of Range',
    meaning: 'The stock on hand would be 10^13 or more, or as far below zero.',
    remedy: 'Check the quantity; if it is right, keep the stock in a larger unit.',
  },
});

export const skuTaken = (sku: string): Problem =>
  new Problem(productProblems['sku-taken'], {
    detail: `Another product has the SKU ${sku}.`,
    errors: { '/sku': ['is taken by another product'] },
  });
