import type { GivenProduct } from '../apps/server/src/modules/catalog/domain/product.ts';
import { NUMBER } from './load.ts';

const COLOURS = [
  'Amber',
  'Black',
  'Blue',
  'Coral',
  'Cream',
  'Green',
  'Grey',
  'Ivory',
  'Olive',
  'Red',
  'White',
];
const THINGS = ['basket', 'bowl', 'café mug', 'chair', 'clock', 'kettle', 'lamp', 'plate', 'shelf', 'towel'];
const CATEGORIES = [
  'Bath',
  'Bedroom',
  'Garden',
  'Hall',
  'Kitchen',
  'Office',
  'Outdoor',
  'Textiles',
  'Tools',
  'Toys',
];

const pick = (from: readonly string[], n: number): string => from[n % from.length] as string;

export const skuOf = (n: number): string => `ART-${digits(n)}`;
export const digits = (n: number): string => String(n).padStart(7, '0');

/** The category of each tenth product. */
export const COMMON_CATEGORY = 'Kitchen';

/** The n-th product of any tenant. Its number is the only rare thing about it. */
export const nthProduct = (n: number): GivenProduct => ({
  sku: skuOf(n),
  name: `${pick(COLOURS, n)} ${pick(THINGS, Math.trunc(n / 11))} ${digits(n)}`,
  description: `A ${pick(THINGS, n + 3)} for daily use, packed in a carton of ${(n % 12) + 1} with a card of care.`,
  price: `${(n * 7919) % 1000}.${10 + (n % 90)}`,
  currency: 'EUR',
  taxRate: '20',
  barcode: gtin(n),
  category: pick(CATEGORIES, n),
  status: n % 20 === 0 ? 'archived' : 'active',
  ...(n % 10 === 0 ? { tags: ['gift'] } : {}),
});

/** What every create sends, each with a number of its own. */
export const newProductBody: string = JSON.stringify({
  ...nthProduct(1),
  sku: `NEW-${NUMBER}`,
  name: `Blue café mug ${NUMBER}`,
  tags: ['blue', 'gift'],
} satisfies GivenProduct);

/** Scattered as those of many makers are: numbers in a row would all hold the same zeros. */
function gtin(n: number): string {
  const body = `40${String((n * 7_368_787) % 10_000_000_019)
    .padStart(10, '0')
    .slice(-10)}`;
  const sum = [...body].reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}
