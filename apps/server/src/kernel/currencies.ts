import currencyCodes from 'currency-codes';

export interface Currency {
  readonly code: string;
  readonly numericCode: string;
  readonly name: string;
  readonly minorUnits: number;
}

/** Metals, units of account, and codes for tests: ISO 4217 gives them no minor units, and nobody is invoiced in them. */
const WITHOUT_MINOR_UNITS = new Set('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' '));

/** The currencies of ISO 4217 by their code. */
export const currencies: ReadonlyMap<string, Currency> = new Map(
  currencyCodes.data
    .filter(({ code }) => !WITHOUT_MINOR_UNITS.has(code))
    .map(({ code, number, currency, digits }) => [
      code,
      { code, numericCode: number, name: currency, minorUnits: digits },
    ]),
);
