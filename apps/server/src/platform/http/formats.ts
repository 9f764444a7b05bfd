import type { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { currencies } from '#kernel/currencies.ts';
import { type DecimalRule, decimalFault } from '#kernel/decimal.ts';
import { isGtin } from '#kernel/gtin.ts';
import { isUuid } from '#kernel/ids.ts';
import { units } from '#kernel/units.ts';

interface Format {
  readonly check: (text: string) => boolean;
  /** Follows the name of the field. */
  readonly words: string;
}

/** Formats of our own. Those of JSON Schema come from a library. */
const formats: Readonly<Record<string, Format>> = {
  // the library's takes urn:uuid: in front, which the database does not
  uuid: { check: isUuid, words: 'must be a valid uuid' },
  currency: {
    check: (text) => currencies.has(text),
    words: 'must be a currency code of ISO 4217, such as EUR',
  },
  unit: {
    check: (text) => units.has(text),
    words: 'must be a unit code of UN/ECE Recommendation 20, such as C62 (one) or KGM (kilogram)',
  },
  gtin: {
    check: isGtin,
    words: 'must be a GTIN of 8, 12, 13 or 14 digits whose check digit is right',
  },
  line: {
    check: (text) => !/\p{Cc}/u.test(text),
    words: 'must be a single line without control characters',
  },
  label: {
    check: (text) => !/[\p{Cc}|]/u.test(text),
    words: 'must be a single line without control characters and without |',
  },
};

export const DECIMAL_KEYWORD = 'x-decimal';

export function addOwnFormats(ajv: Ajv): Ajv {
  addFormats.default(ajv, { mode: 'full' });
  for (const [name, { check }] of Object.entries(formats)) ajv.addFormat(name, check);
  const checkDecimal = (rule: DecimalRule, value: string | number | null): boolean => {
    const fault = value === null ? undefined : decimalFault(value, rule);
    if (fault === undefined) return true;
    (checkDecimal as { errors?: object[] }).errors = [
      { keyword: DECIMAL_KEYWORD, message: fault, params: {} },
    ];
    return false;
  };
  ajv.addKeyword({
    keyword: DECIMAL_KEYWORD,
    type: ['string', 'number', 'null'],
    errors: true,
    validate: checkDecimal,
  });
  return ajv;
}

export const formatWords = (name: string): string => formats[name]?.words ?? `must be a valid ${name}`;
