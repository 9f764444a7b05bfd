import { type RawBuilder, sql } from 'kysely';
import { millionths } from '#kernel/decimal.ts';
import { caseless } from '#kernel/folded-text.ts';
import { query } from '#platform/db/query.ts';
import { searchFor, wordsOf } from './domain/search-keys.ts';

/** What a list may be narrowed by, as callers say it. */
export interface ProductFilter {
  readonly q?: string;
  readonly status?: string;
  readonly kind?: string;
  readonly category?: string;
  readonly tag?: string;
  readonly minPrice?: string | number;
  readonly maxPrice?: string | number;
  readonly inStock?: boolean;
}

/** The same as the database is asked: each a value that an index holds. */
interface FilterValues extends Record<string, unknown> {
  readonly status?: string | undefined;
  readonly kind?: string | undefined;
  readonly category?: string | undefined;
  readonly tag?: string | undefined;
  readonly minPrice?: bigint | undefined;
  readonly maxPrice?: bigint | undefined;
  readonly inStock?: boolean | undefined;
  readonly alternatives?: readonly string[];
  readonly terms?: readonly string[];
  readonly termWords?: readonly (string | null)[];
  readonly phrase?: string;
}

type Condition = 'status' | 'kind' | 'category' | 'tag' | 'minPrice' | 'maxPrice' | 'inStock';

const conditions: Readonly<Record<Condition, (value: unknown) => RawBuilder<boolean>>> = {
  status: (value) => sql`status = ${value}`,
  kind: (value) => sql`kind = ${value}`,
  category: (value) => sql`category_key = ${value}`,
  tag: (value) => sql`id in (select product_id from product_tag where tag_key = ${value})`,
  minPrice: (value) => sql`price_order >= ${value}::bigint`,
  maxPrice: (value) => sql`price_order <= ${value}::bigint`,
  inStock: (value) => sql`in_stock = ${value}::boolean`,
};
const CONDITIONS = Object.keys(conditions) as Condition[];

/** Which conditions there are: what the text of a query depends on. */
export interface FilterShape {
  readonly conditions: readonly Condition[];
  readonly isSearch: boolean;
}

export const filterShape = (filter: ProductFilter): FilterShape => ({
  conditions: CONDITIONS.filter((name) => filter[name] !== undefined),
  isSearch: filter.q !== undefined,
});

export const isUnfiltered = (shape: FilterShape): boolean => !shape.isSearch && shape.conditions.length === 0;

export function filterValues(tenantId: string, filter: ProductFilter): FilterValues {
  const { status, kind, category, tag, minPrice, maxPrice, inStock, q } = filter;
  return {
    status,
    kind,
    category: category === undefined ? undefined : caseless(category.trim()),
    tag: tag === undefined ? undefined : caseless(tag.trim()),
    minPrice: minPrice === undefined ? undefined : priceOrder(minPrice),
    maxPrice: maxPrice === undefined ? undefined : priceOrder(maxPrice),
    inStock,
    ...(q === undefined ? {} : searchValues(tenantId, q)),
  };
}

/** As the column `price_order` has it. */
const priceOrder = (price: string | number): bigint => millionths(String(price)) - 5n * 10n ** 18n;

function searchValues(tenantId: string, q: string) {
  const { alternatives, terms, phrase } = searchFor(tenantId, q);
  return {
    alternatives: alternatives.map((keys) => `{${keys.join(',')}}`),
    terms,
    termWords: terms.map((term) => {
      const words = wordsOf(term);
      return words.length === 0 ? null : `{"${words.join('","')}"}`; // quoted, since null is a word as well
    }),
    phrase,
  };
}

const visible = () => query.selectFrom('product').where('deleted_at', 'is', null);

/** The products that match. After a search each comes with its `rank`. */
export function matching(shape: FilterShape, values: FilterValues): ReturnType<typeof visible> {
  const all = shape.isSearch ? found(values) : visible();
  return shape.conditions.reduce((select, name) => select.where(conditions[name](values[name])), all);
}

/**
 * What is found is read one by one, by its key. Left to itself the planner reads the whole workspace and joins, for as
 * long as it has no statistics; `offset 0` keeps it from that.
 */
function found(values: FilterValues): ReturnType<typeof visible> {
  const { alternatives, terms, termWords, phrase } = values;
  const hits = sql<{ product_id: string; rank: number }>`search_products(
    ${alternatives}::text[], ${terms}::text[], ${termWords}::text[], ${phrase})`.as<'hit'>(sql.ref('hit'));
  const product = query
    .selectFrom('product')
    .selectAll()
    .whereRef('id', '=', sql.ref('hit.product_id'))
    .offset(sql<number>`0`)
    .as('product');
  // To the rest of the query it is the table of products, with one column more.
  return query.selectFrom(hits).innerJoinLateral(product, (join) => join.onTrue()) as unknown as ReturnType<
    typeof visible
  >;
}
