import type { ProblemKind } from './problem.ts';
import type { Route } from './route.ts';

/** All that main.ts sees of a business area. */
export interface Module {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly problems: Readonly<Record<string, ProblemKind>>;
}
