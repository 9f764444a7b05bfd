import { currencies } from '#kernel/currencies.ts';
import { canonical, millionths } from '#kernel/decimal.ts';
import { caseless } from '#kernel/folded-text.ts';

export const KINDS = ['goods', 'service'] as const;
export const STATUSES = ['active', 'archived'] as const;
export const STOCK_POLICIES = ['deny', 'allow'] as const;
/** The VAT categories of EN 16931. */
export const TAX_CATEGORIES = ['S', 'Z', 'E', 'AE', 'K', 'G', 'O'] as const;

/** What people say of a product; the rest is kept by the server. Decimals are texts in their canonical form. */
export interface ProductContent {
  readonly sku: string;
  readonly name: string;
  readonly description: string | null;
  readonly kind: (typeof KINDS)[number];
  readonly status: (typeof STATUSES)[number];
  readonly unit: string;
  readonly price: string;
  readonly currency: string;
  readonly taxCategory: (typeof TAX_CATEGORIES)[number];
  readonly taxRate: string;
  readonly barcode: string | null;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly trackStock: boolean;
  readonly stockPolicy: (typeof STOCK_POLICIES)[number];
  readonly reorderPoint: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Product extends ProductContent {
  readonly id: string;
  readonly stockOnHand: string;
  /** How many movements its ledger has. */
  readonly movementCount: number;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A product as it is sent. What is absent has its default, also when an existing product is replaced. */
export interface GivenProduct {
  readonly sku: string;
  readonly name: string;
  readonly price: string | number;
  readonly currency: string;
  readonly description?: string | null;
  readonly kind?: ProductContent['kind'];
  readonly status?: ProductContent['status'];
  readonly unit?: string;
  readonly taxCategory?: ProductContent['taxCategory'];
  readonly taxRate?: string | number;
  readonly barcode?: string | null;
  readonly category?: string | null;
  readonly tags?: readonly string[];
  readonly trackStock?: boolean;
  readonly stockPolicy?: ProductContent['stockPolicy'];
  readonly reorderPoint?: string | number | null;
  readonly metadata?: Readonly<Record<string, string>>;
}

const ONE = 'C62';

/** Of input that its schema has passed. */
export function contentOf(given: GivenProduct): ProductContent {
  const { category = null, reorderPoint = null } = given;
  return {
    sku: given.sku.trim(),
    name: given.name.trim(),
    description: given.description ?? null,
    kind: given.kind ?? 'goods',
    status: given.status ?? 'active',
    unit: given.unit ?? ONE,
    price: canonical(given.price, currencies.get(given.currency)?.minorUnits),
    currency: given.currency,
    taxCategory: given.taxCategory ?? 'S',
    taxRate: canonical(given.taxRate ?? 0),
    barcode: given.barcode ?? null,
    category: category === null ? null : category.trim(),
    tags: withoutRepeats(given.tags ?? []),
    trackStock: given.trackStock ?? false,
    stockPolicy: given.stockPolicy ?? 'deny',
    reorderPoint: reorderPoint === null ? null : canonical(reorderPoint),
    metadata: given.metadata ?? {},
  };
}

/** "Red" and "red" are one tag; the first spelling stays. */
function withoutRepeats(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags) {
    const key = caseless(tag.trim());
    if (!byKey.has(key)) byKey.set(key, tag.trim());
  }
  return [...byKey.values()];
}

/** Only the standard category has a rate (EN 16931, BR-Z-05 and its sisters). */
export function taxRateFault({ taxCategory = 'S', taxRate = 0 }: TaxOfProduct): string | undefined {
  if (taxCategory === 'S' || canonical(taxRate) === '0') return undefined;
  return `must be 0 for the tax category ${taxCategory}: only S has a rate`;
}

type TaxOfProduct = Pick<GivenProduct, 'taxCategory' | 'taxRate'>;

export const newProduct = (content: ProductContent, id: string, now: Date): Product => ({
  ...content,
  id,
  stockOnHand: '0',
  movementCount: 0,
  version: 1,
  createdAt: now,
  updatedAt: now,
});

export const isInStock = ({ stockOnHand }: Pick<Product, 'stockOnHand'>): boolean =>
  millionths(stockOnHand) > 0n;

/** The product with another content; itself where that says the same. */
export function withContent(product: Product, content: ProductContent, now: Date): Product {
  if (isSame(product, content)) return product;
  return { ...product, ...content, version: product.version + 1, updatedAt: now };
}

function isSame(product: ProductContent, { tags, metadata, ...plain }: ProductContent): boolean {
  const names = Object.keys(plain) as (keyof typeof plain)[];
  return (
    names.every((name) => product[name] === plain[name]) &&
    hasTags(product, tags) &&
    sorted(product.metadata) === sorted(metadata)
  );
}

/** In the same order and spelling; none of them holds a line break. */
export const hasTags = (product: ProductContent, tags: readonly string[]): boolean =>
  product.tags.join('\n') === tags.join('\n');

const sorted = (pairs: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(pairs).sort(([a], [b]) => (a < b ? -1 : 1)));
