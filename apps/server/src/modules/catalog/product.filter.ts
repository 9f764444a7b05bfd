import { type RawBuilder, sql } from 'kysely';
import { caseless } from '#kernel/folded-text.ts';
import { searchFor, wordsOf } from './domain/search-keys.ts';
import { priceOrder, productColumns } from './product.row.ts';

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
export interface FilterValues extends Record<string, unknown> {
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

const conditions = {
  status: (value: unknown) => sql<boolean>`status = ${value}`,
  kind: (value: unknown) => sql<boolean>`kind = ${value}`,
  category: (value: unknown) => sql<boolean>`category_key = ${value}`,
  minPrice: (value: unknown) => sql<boolean>`price_order >= ${value}::bigint`,
  maxPrice: (value: unknown) => sql<boolean>`price_order <= ${value}::bigint`,
  inStock: (value: unknown) => sql<boolean>`in_stock = ${value}::boolean`,
  tag: (value: unknown) =>
    sql<boolean>`(created_at, id) in (select created_at, product_id from product_tag where tag_key = ${value})`,
} as const;
type Condition = keyof typeof conditions;
const CONDITIONS = Object.keys(conditions) as Condition[];

/** Which filters there are: what the text of a query depends on. */
export interface FilterShape {
  /** What the rows are found by first: a search, a tag, or the indexes of the products themselves. */
  readonly source: 'search' | 'tag' | 'products';
  readonly conditions: readonly Condition[];
}

export function filterShape(filter: ProductFilter): FilterShape {
  const given = CONDITIONS.filter((name) => filter[name] !== undefined);
  if (filter.q !== undefined) return { source: 'search', conditions: given };
  // Beside other conditions it is the planner's to say which of them finds the fewest.
  const isTagAlone = given.length === 1 && given[0] === 'tag';
  return isTagAlone ? { source: 'tag', conditions: [] } : { source: 'products', conditions: given };
}

export const isUnfiltered = ({ source, conditions: given }: FilterShape): boolean =>
  source === 'products' && given.length === 0;

export function filterValues(tenantId: string, filter: ProductFilter): FilterValues {
  const { status, kind, category, tag, minPrice, maxPrice, inStock, q } = filter;
  return {
    status,
    kind,
    category: category === undefined ? undefined : caseless(category.trim()),
    tag: tag === undefined ? undefined : caseless(tag.trim()),
    minPrice: minPrice === undefined ? undefined : priceOrder(String(minPrice)),
    maxPrice: maxPrice === undefined ? undefined : priceOrder(String(maxPrice)),
    inStock,
    ...(q === undefined ? {} : searchValues(tenantId, q)),
  };
}

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

/** What must hold of the rows. */
export function conditionsOf({ source, conditions: given }: FilterShape, values: FilterValues) {
  const all = given.map((name) => conditions[name](values[name]));
  return source === 'products' ? [sql<boolean>`deleted_at is null`, ...all] : all;
}

/** Ids and what else is known of them before the products are read. Only those that are not deleted are in there. */
export function sourceOf(shape: FilterShape, values: FilterValues): RawBuilder<unknown> {
  if (shape.source === 'tag')
    return sql`(select product_id as id, created_at from product_tag where tag_key = ${values.tag}) as source`;
  const { alternatives, terms, termWords, phrase } = values;
  return sql`(select product_id as id, rank from search_products(
    ${alternatives}::text[], ${terms}::text[], ${termWords}::text[], ${phrase})) as source`;
}

const OWN_COLUMNS = { search: ['rank'], tag: ['created_at'], products: [] } as const;

/** Whether the source itself has what it is to be sorted by, and nothing else has to be known of a product. */
export const isSortedBySource = (shape: FilterShape, column: string): boolean =>
  shape.conditions.length === 0 && (OWN_COLUMNS[shape.source] as readonly string[]).includes(column);

/** What lists are sorted and filtered by beside what is shown. */
const KEYS = ['sku_key', 'name_key', 'price_order', 'category_key', 'in_stock'];

/**
 * The products of a source, read one by one by their key. Left to itself the planner may read the whole workspace and
 * join, and does for as long as it has no statistics; `offset 0` keeps it from that.
 */
export function productsOf({ source }: FilterShape, from: RawBuilder<unknown>): RawBuilder<unknown> {
  const known: readonly string[] = ['id', ...OWN_COLUMNS[source]];
  const others = [...productColumns, ...KEYS].filter((name) => !known.includes(name));
  const columns = sql.join(others.map((name) => sql.ref(name)));
  return sql`${from} cross join lateral
    (select ${columns} from product where product.id = source.id offset 0) as product`;
}

/** The products that match, from wherever they are found; `conditionsOf` must hold of them as well. */
export const matching = (shape: FilterShape, values: FilterValues): RawBuilder<unknown> =>
  shape.source === 'products' ? sql`product` : productsOf(shape, sourceOf(shape, values));
