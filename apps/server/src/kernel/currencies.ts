import currencyCodes from 'currency-codes';

export interface Currency {
  readonly code: string;
  readonly numericCode: string;
  readonly name: string;
  readonly minorUnits: number;
}

/** Metals, units of account, and codes for tests: ISO 4217 gives them no minor units, and nobody is invoiced in them. */
const WITHOUT_MINOR_UNITS = new Set('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' '));

/** Came into force after the library's list was published. What was withdrawn since stays, for documents of its time. */
const LATER: readonly Currency[] = [
  { code: 'XCG', numericCode: '532', name: 'Caribbean Guilder', minorUnits: 2 },
];

const published = currencyCodes.data
  .filter(({ code }) => !WITHOUT_MINOR_UNITS.has(code))
  .map(({ code, number, currency, digits }) => ({
    code,
    numericCode: number,
    name: currency,
    minorUnits: digits,
  }));

/** The currencies of ISO 4217 by their code. */
export const currencies: ReadonlyMap<string, Currency> = new Map(
  [...published, ...LATER]
    .sort((a, b) => (a.code < b.code ? -1 : 1))
    .map((currency) => [currency.code, currency]),
);
