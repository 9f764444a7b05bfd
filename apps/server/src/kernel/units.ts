import { REC_20_3 } from 'un-ece-recommendation/20/3';

/** The common codes of UN/ECE Recommendation 20, units of measure: C62 is one, KGM a kilogram, HUR an hour. */
export const units: ReadonlySet<string> = new Set(REC_20_3.map(({ code }) => code));
