/** What a domain function returns when it says yes: the next state, and what happened. */
export interface Accepted<State, Event> {
  readonly next: State;
  readonly events: readonly Event[];
}

/** What it returns when it says no: the name of a problem in the module's catalogue. */
export interface Refused<Slug extends string> {
  readonly refusal: Slug;
  readonly detail: string;
}

export const isRefused = (decision: object): decision is Refused<string> => 'refusal' in decision;
