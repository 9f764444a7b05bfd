import { Type } from 'typebox';
import { foldText } from '#kernel/folded-text.ts';
import { invalid } from '#platform/http/common.problems.ts';
import { Download } from '#platform/http/download.ts';
import { ListQuery, ListReply, pageReply, readPage } from '#platform/http/list.ts';
import { JSON_TYPE } from '#platform/http/negotiation.ts';
import { defineRoute } from '#platform/http/route.ts';
import { DecimalInput, Line, OneOf, TEXT_LENGTH } from '#platform/http/schemas.ts';
import { KINDS, STATUSES } from '../domain/product.ts';
import { exportProducts } from '../product.export.ts';
import { listProducts } from '../product.list.ts';
import { ProductResource, presentProduct, Tag } from '../product.schemas.ts';

const columns = {
  sku: 'sku_key',
  name: 'name_key',
  price: 'price_order',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const;
const sorting = { columns, sortBy: 'createdAt', sortDir: 'desc' } as const;
const rankedSorting = {
  columns: { ...columns, relevance: 'rank' },
  sortBy: 'relevance',
  sortDir: 'desc',
} as const;

const CSV_TYPE = 'text/csv; charset=utf-8';
const NDJSON_TYPE = 'application/x-ndjson';

const Price = DecimalInput({ minimum: '0' }, 'Whatever the currency.');

export const listProductsRoute = defineRoute({
  method: 'GET',
  path: '/catalog/products',
  operationId: 'listProducts',
  summary: 'Products, filtered, searched and sorted',
  description:
    '`q` finds by any part of sku, name and barcode and by words of the description, whatever case and accents; each ' +
    'of its words must be found. The best matches come first unless `sortBy` says otherwise; without `q` it is the ' +
    `newest. With \`Accept: text/csv\` or \`${NDJSON_TYPE}\` the whole result is streamed, whatever page was asked ` +
    'for; in CSV tags are joined by |.',
  area: 'Catalog',
  permission: 'catalog.read',
  query: ListQuery(rankedSorting, {
    q: Type.Optional(Line(200)),
    status: Type.Optional(OneOf(STATUSES)),
    kind: Type.Optional(OneOf(KINDS)),
    category: Type.Optional(Line(TEXT_LENGTH)),
    tag: Type.Optional(Tag),
    minPrice: Type.Optional(Price),
    maxPrice: Type.Optional(Price),
    inStock: Type.Optional(Type.Boolean({ description: 'Whether `stockOnHand` is above zero.' })),
  }),
  response: ListReply(ProductResource),
  produces: [JSON_TYPE, CSV_TYPE, NDJSON_TYPE],
  handle: async ({ db, query, accepted }) => {
    if (query.q !== undefined && foldText(query.q) === '') throw invalid('/query/q', 'must not be blank');
    if (query.q === undefined && query.sortBy === 'relevance')
      throw invalid('/query/sortBy', 'can be relevance only together with q');
    const page = query.q === undefined ? readPage(query, sorting) : readPage(query, rankedSorting);
    if (accepted === CSV_TYPE)
      return new Download(await exportProducts(db, query, page, 'csv'), 'products.csv');
    if (accepted === NDJSON_TYPE)
      return new Download(await exportProducts(db, query, page, 'lines'), 'products.ndjson');
    return pageReply(await listProducts(db, query, page), page, presentProduct);
  },
});
