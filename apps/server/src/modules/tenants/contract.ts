export { provisionTenant } from './provision.ts';
