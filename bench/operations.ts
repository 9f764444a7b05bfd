import type { Catalog, FilledTenant } from './catalog.ts';
import type { Target } from './load.ts';
import { always, type Contestant } from './measure.ts';
import type { Plan } from './plan.ts';
import {
  authorized,
  createProducts,
  listAfter,
  listProducts,
  readProducts,
  searchProducts,
} from './requests.ts';

/** What must cost the same however many products there are, in the tenant and beside it. */
export interface Operation {
  readonly name: string;
  readonly ask: (tenant: FilledTenant) => Target | Promise<Target>;
  /** Leaves the tenant larger than it was. */
  readonly creates?: true;
}

export const operations: readonly Operation[] = [
  { name: 'first page with its totalCount', ask: (tenant) => listProducts(tenant) },
  { name: 'page by cursor in the middle', ask: (tenant) => listAfter(tenant, 0.5) },
  { name: 'page by cursor near the end', ask: (tenant) => listAfter(tenant, 1) },
  { name: 'read', ask: readProducts },
  { name: 'search that finds few', ask: searchProducts },
  { name: 'create', ask: (tenant) => createProducts(tenant.url, authorized(tenant)), creates: true },
];

/** Asked of the small tenant; of a fresh one in each round where it would not stay small. */
export async function inSmallTenant(
  { ask, creates }: Operation,
  catalog: Catalog,
  { sizes, createsPerRound }: Plan,
  rounds: number,
): Promise<Contestant> {
  if (creates === undefined) return always(await ask(await catalog.tenant('small', sizes.small)));
  const fresh = await catalog.freshTenants(rounds + 1, sizes.small); // one to warm up in
  return { target: () => ask(fresh.pop() as FilledTenant), extent: { requests: createsPerRound } };
}

export async function inLargeTenant(
  { ask, creates }: Operation,
  catalog: Catalog,
  { sizes, createsPerRound }: Plan,
): Promise<Contestant> {
  const contestant = always(await ask(await catalog.tenant('large', sizes.large)));
  return creates === undefined ? contestant : { ...contestant, extent: { requests: createsPerRound } };
}
