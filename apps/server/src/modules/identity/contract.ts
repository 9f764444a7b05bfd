export { provisionAdministrator } from './provision-administrator.ts';
export { findRoles, insertBuiltInRoles } from './role.store.ts';
