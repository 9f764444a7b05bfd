import { isRefused, type Refused } from '#kernel/decision.ts';

/** What can go wrong, as callers see it: the page at /problems/{slug} is made from this. */
export interface ProblemKind {
  readonly slug: string;
  readonly status: number;
  readonly title: string;
  /** What happened, for a person who has never seen it. */
  readonly meaning: string;
  /** What that person can do about it. */
  readonly remedy: string;
}

type Catalogue<Slug extends string> = Readonly<Record<Slug, ProblemKind>>;

/** A module's failures. The key is the slug. */
export function defineProblems<const Slug extends string>(
  kinds: Readonly<Record<Slug, Omit<ProblemKind, 'slug'>>>,
): Catalogue<Slug> {
  const entries = Object.entries<Omit<ProblemKind, 'slug'>>(kinds);
  return Object.fromEntries(entries.map(([slug, kind]) => [slug, { slug, ...kind }])) as Catalogue<Slug>;
}

interface ProblemDetails {
  /** Explains this very case and names the offending thing. */
  readonly detail: string;
  /** From JSON pointer to messages, where input is at fault. */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** For a missing row: where to look whether another tenant has it. */
  readonly missing?: { readonly table: string; readonly id: string };
}

/** Thrown anywhere below a route; answered as application/problem+json (RFC 9457). */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly details: ProblemDetails;

  constructor(kind: ProblemKind, details: ProblemDetails) {
    super(details.detail);
    this.kind = kind;
    this.details = details;
  }
}

/** Passes an accepted decision on and throws a refused one. Does not compile where the catalogue lacks the refusal. */
export function settle<Decision extends object>(
  decision: Decision,
  catalogue: Catalogue<Extract<Decision, Refused<string>>['refusal']>,
): Exclude<Decision, Refused<string>> {
  if (isRefused(decision)) {
    const kinds: Readonly<Record<string, ProblemKind>> = catalogue;
    throw new Problem(kinds[decision.refusal] as ProblemKind, { detail: decision.detail });
  }
  return decision as Exclude<Decision, Refused<string>>;
}
