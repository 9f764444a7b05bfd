import { Type } from 'typebox';
import { currencies } from '#kernel/currencies.ts';
import { defineRoute } from '#platform/http/route.ts';
import { Strict } from '#platform/http/schemas.ts';

export const listCurrenciesRoute = defineRoute({
  method: 'GET',
  path: '/api/public/currencies',
  operationId: 'listCurrencies',
  summary: 'ISO 4217 currencies with minor units',
  area: 'Platform and health',
  access: 'public',
  response: Strict({
    items: Type.Array(
      Strict({
        code: Type.String({ description: 'Three letters.' }),
        numericCode: Type.String({ description: 'Three digits.' }),
        name: Type.String(),
        minorUnits: Type.Integer({ description: 'Decimals of an amount.' }),
      }),
    ),
    totalCount: Type.Integer(),
  }),
  headers: () => ({ 'cache-control': 'public, max-age=86400' }),
  handle: () => ({ items: [...currencies.values()], totalCount: currencies.size }),
});
