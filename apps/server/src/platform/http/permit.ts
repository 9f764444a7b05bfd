import type { Principal } from '#platform/auth/principal.ts';
import { permissionDenied } from './common.problems.ts';
import type { Route } from './route.ts';

/** May this principal call this route? */
export function permit(route: Route, principal: Principal): void {
  if (route.access === 'operator' && !principal.isOperator) {
    throw permissionDenied('This operation is for operators of the platform (platform.operate).');
  }
  if (route.permission !== undefined && !principal.permissions.has(route.permission)) {
    throw permissionDenied(`This operation needs the permission ${route.permission}.`);
  }
}
