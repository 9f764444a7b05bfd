import { foldText } from '#kernel/folded-text.ts';
import type { Product } from './product.ts';

/**
 * What the search index holds of a product. A key is a hash of the tenant and a piece of text: any run of 1, 2, 3 or 5
 * characters of sku, name and barcode, and every word of the description. Since the tenant is in each hash, a look-up
 * meets nothing of other tenants: with plain trigrams a neighbour's million rows would stand in the same
 * lists (ADR 0013).
 */
export interface Searchable {
  readonly sku: string;
  readonly name: string;
  readonly barcode: string;
  readonly words: readonly string[];
  readonly keys: readonly number[];
}

/**
 * Three characters find most things; five are there because three digits do not: of a million numbers each thousandth
 * shares them. One and two are for who searches just that.
 */
const RUN_LENGTHS = [1, 2, 3, 5] as const;
const LONGEST_RUN = 5;

/** What of a product can be searched for. */
export const SEARCHED = ['sku', 'name', 'barcode', 'description'] as const;

export function searchable(tenantId: string, product: Pick<Product, (typeof SEARCHED)[number]>): Searchable {
  const sku = foldText(product.sku);
  const name = foldText(product.name);
  const barcode = product.barcode ?? '';
  const words = wordsOf(foldText(product.description ?? ''));
  const seed = seedOf(tenantId);
  const keys = new Set<number>();
  for (const text of [sku, name, barcode]) {
    for (const length of RUN_LENGTHS) {
      for (let start = 0; start + length <= text.length; start++) {
        keys.add(hash(seed, text, start, start + length));
      }
    }
  }
  for (const word of words) keys.add(wordKey(seed, word));
  return { sku, name, barcode, words, keys: [...keys] };
}

/** What to look up: whatever holds all keys of one of the alternatives may match; `terms` decide whether it does. */
export interface Search {
  readonly phrase: string;
  readonly terms: readonly string[];
  readonly alternatives: readonly (readonly number[])[];
}

/** Each term doubles the alternatives, so only the longest few are looked up; the others are checked on what is found. */
const LOOKED_UP_MAX = 3;

/** Each term must be a part of sku, name or barcode, or its words must be words of the description. */
export function searchFor(tenantId: string, q: string): Search {
  const phrase = foldText(q);
  const terms = [...new Set(phrase.split(' '))];
  const seed = seedOf(tenantId);
  const lookedUp = terms.toSorted((a, b) => b.length - a.length).slice(0, LOOKED_UP_MAX);
  let alternatives: number[][] = [[]];
  for (const term of lookedUp) {
    const ways = waysToFind(seed, term);
    alternatives = alternatives.flatMap((found) => ways.map((way) => [...found, ...way]));
  }
  return { phrase, terms, alternatives };
}

function waysToFind(seed: number, term: string): number[][] {
  const words = wordsOf(term);
  const asPart = lastRuns(term).map(([start, end]) => hash(seed, term, start, end));
  return words.length === 0 ? [asPart] : [asPart, words.map((word) => wordKey(seed, word))];
}

const RUNS_LOOKED_UP_MAX = 2;

/**
 * Side by side, the last one flush with the end of the term, and of a long term the last two: SKUs and barcodes begin
 * alike and end apart, and a run that all products share only adds a long list to be gone through.
 */
function lastRuns(term: string): [number, number][] {
  const length = term.length >= LONGEST_RUN ? LONGEST_RUN : Math.min(term.length, 3);
  const runs: [number, number][] = [];
  for (let end = length; end < term.length; end += length) runs.push([end - length, end]);
  return [...runs, [term.length - length, term.length] as [number, number]].slice(-RUNS_LOOKED_UP_MAX);
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

export const wordsOf = (folded: string): string[] => [...new Set(folded.match(WORD))];

const WORD_SALT = 0x5bd1e995;
const wordKey = (seed: number, word: string): number => hash(seed ^ WORD_SALT, word, 0, word.length);

/** FNV-1a over the code units with a final mixing, signed as the database's integer is. */
function hash(seed: number, text: string, start: number, end: number): number {
  let mixed = seed ^ (end - start);
  for (let i = start; i < end; i++) mixed = Math.imul(mixed ^ text.charCodeAt(i), 0x01000193);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) | 0;
}

/** The ids of tenants made at the same moment begin alike, so all of it counts. */
const seedOf = (tenantId: string): number => hash(0x811c9dc5 | 0, tenantId, 0, tenantId.length);
