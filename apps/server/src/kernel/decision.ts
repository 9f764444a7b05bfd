/** What a domain function returns when it says no: the name of a problem in the module's catalogue. */
export interface Refused<Slug extends string> {
  readonly refusal: Slug;
  readonly detail: string;
}

export const isRefused = (decision: object): decision is Refused<string> => 'refusal' in decision;
