import type { FilledTenant } from './catalog.ts';
import type { Target } from './load.ts';
import { COMMON_CATEGORY, digits, newProductBody, skuOf } from './products.ts';
import { type Credentials, tokenForm } from './token.ts';

/** What is asked of our server, and of those that it is compared with. */

const PAGE_SIZE = 25;

export const tokenRequest = ({ url, client }: { url: string; client: Credentials }): Target => ({
  url: `${url}/connect/token`,
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: tokenForm(client).toString(),
});

export const authorized = ({ accessToken }: { accessToken: string }) => ({
  authorization: `Bearer ${accessToken}`,
});

/** Products from all over the tenant in turn: one and the same row would tell nothing of a large table. */
export const readProducts = (tenant: FilledTenant): Target => ({
  url: tenant.productIds.map((id) => `${tenant.url}/catalog/products/${id}`),
  headers: authorized(tenant),
});

export const listProducts = (tenant: FilledTenant, query = ''): Target => ({
  url: `${tenant.url}/catalog/products?pageSize=${PAGE_SIZE}${query}`,
  headers: authorized(tenant),
});

export const listCategory = (tenant: FilledTenant): Target =>
  listProducts(tenant, `&category=${COMMON_CATEGORY}`);

/** The page that follows after this share of the list. Asked for by number once, to learn its cursor. */
export async function listAfter(tenant: FilledTenant, share: number): Promise<Target> {
  const pages = Math.floor(tenant.size / PAGE_SIZE);
  const page = Math.max(1, Math.min(Math.floor(pages * share), pages - 2));
  const { url, headers = {} } = listProducts(tenant, `&page=${page}`);
  const reply = await fetch(url as string, { headers });
  const { nextCursor } = (await reply.json()) as { nextCursor: string | null };
  if (!reply.ok || nextCursor === null) throw new Error(`page ${page} of ${pages} has no next`);
  return listProducts(tenant, `&cursor=${nextCursor}`);
}

const SEARCHES = 50;

/** By the number or the whole SKU of products from all over the tenant: each finds one or a few. */
export const searchProducts = (tenant: FilledTenant): Target => ({
  url: Array.from({ length: SEARCHES }, (_, i) => {
    const n = Math.floor((i * tenant.size) / SEARCHES) + 1;
    const q = i % 2 === 0 ? skuOf(n) : digits(n);
    return `${tenant.url}/catalog/products?pageSize=${PAGE_SIZE}&q=${q}`;
  }),
  headers: authorized(tenant),
});

export const createProducts = (url: string, headers: Readonly<Record<string, string>>): Target => ({
  url: `${url}/catalog/products`,
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: newProductBody,
});
