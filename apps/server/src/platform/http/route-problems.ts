import { commonProblems } from './common.problems.ts';
import type { ProblemKind } from './problem.ts';
import type { Route } from './route.ts';

/** Its own problems and those that its shape brings with it. */
export function problemsOf(route: Route): ProblemKind[] {
  const common = commonProblems;
  const kinds: ProblemKind[] = [...(route.problems ?? []), common['internal-error'], common.overloaded];
  if (route.access !== 'public') {
    kinds.push(common.unauthenticated, common['invalid-token'], common['insufficient-scope']);
    kinds.push(
      common['permission-denied'],
      common['tenant-suspended'],
      common['database-unavailable'],
      common['rate-limited'],
    );
    if (route.method === 'POST')
      kinds.push(common['idempotency-in-progress'], common['idempotency-key-reused']);
  } else if (route.method !== 'GET') kinds.push(common['rate-limited']);
  if ((route.produces?.length ?? 0) > 1) kinds.push(common['not-acceptable'], common['too-many-exports']);
  if (route.raw !== undefined) return [...new Set(kinds)]; // it reads its input itself, and refuses it in its own way
  if (route.params !== undefined || route.query !== undefined || route.body !== undefined)
    kinds.push(common['invalid-request']);
  if (route.body !== undefined) kinds.push(common['payload-too-large'], common['unsupported-media-type']);
  if (route.params !== undefined && JSON.stringify(route.params).includes('x-table')) {
    kinds.push(common['not-found'], common['other-tenant']);
    if (route.method === 'PUT' || route.method === 'DELETE') kinds.push(common['precondition-failed']);
  }
  return [...new Set(kinds)];
}
