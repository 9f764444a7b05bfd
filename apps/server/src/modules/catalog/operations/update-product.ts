import { type Static, Type } from 'typebox';
import { canonical } from '#kernel/decimal.ts';
import { found, invalidInput } from '#platform/http/common.problems.ts';
import { requireMatch } from '#platform/http/etag.ts';
import { defineRoute } from '#platform/http/route.ts';
import { DecimalInput, Strict, Timestamp, Uuid } from '#platform/http/schemas.ts';
import { contentOf, type Product, withContent } from '../domain/product.ts';
import { productProblems } from '../product.problems.ts';
import { ProductPath, ProductResource, presentProduct, productContent, taxRule } from '../product.schemas.ts';
import { lockProduct, updateProduct } from '../product.store.ts';

/** What a GET shows beside the content, so that people can send back what they have read. */
const kept = {
  id: Type.Optional(Uuid()),
  stockOnHand: Type.Optional(DecimalInput({}, 'Changed by stock adjustments only.')),
  version: Type.Optional(Type.Integer()),
  createdAt: Type.Optional(Timestamp()),
  updatedAt: Type.Optional(Timestamp()),
};

const ReplacedProduct = Strict({ ...productContent, ...kept });

/** Ignoring them would let someone believe that a stock was set; so they must be what they are. */
function keptFaults(product: Product, body: Static<typeof ReplacedProduct>): Record<string, string[]> {
  const now = presentProduct(product);
  const sent = {
    id: body.id?.toLowerCase(),
    stockOnHand: body.stockOnHand === undefined ? undefined : canonical(body.stockOnHand),
    version: body.version,
    createdAt: body.createdAt,
    updatedAt: body.updatedAt,
  };
  const wrong = (Object.keys(sent) as (keyof typeof sent)[]).filter(
    (name) => sent[name] !== undefined && sent[name] !== now[name],
  );
  return Object.fromEntries(
    wrong.map((name) => [`/${name}`, [`is read-only and ${JSON.stringify(now[name])} now; leave it out`]]),
  );
}

export const updateProductRoute = defineRoute({
  method: 'PUT',
  path: '/catalog/products/{id}',
  operationId: 'updateProduct',
  summary: 'Replace a product',
  description:
    'What is left out gets its default. The fields that the server keeps (`id, stockOnHand, version, createdAt, ' +
    'updatedAt`) may be sent back as they were read. The same content again changes nothing.',
  area: 'Catalog',
  permission: 'catalog.write',
  params: ProductPath,
  body: ReplacedProduct,
  rules: [taxRule],
  example: { sku: 'MUG-01', name: 'Café mug, large', price: '14.50', currency: 'EUR', taxRate: '20' },
  response: ProductResource,
  problems: [productProblems['sku-taken']],
  version: (product) => product.version,
  handle: async ({ tx, params, body, ifMatch, now }) => {
    const before = found(await lockProduct(tx, params.id), 'product', 'product', params.id);
    requireMatch(ifMatch, before.version);
    const faults = keptFaults(before, body);
    if (Object.keys(faults).length > 0) throw invalidInput(faults);
    const after = withContent(before, contentOf(body), now);
    if (after !== before) updateProduct(tx, before, after);
    return presentProduct(after);
  },
});
