import { allPermissions, type Permission } from '#platform/auth/permissions.ts';

interface BuiltInRole {
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly Permission[];
}

const reading = allPermissions.filter((permission) => permission.endsWith('.read'));
const starting = (...areas: string[]): Permission[] =>
  allPermissions.filter((permission) => areas.includes(permission.split('.', 1)[0] as string));
const except = (...left: Permission[]): Permission[] =>
  allPermissions.filter((permission) => !left.includes(permission));

/** Every workspace begins with these. They cannot be deleted. */
export const builtInRoles: readonly BuiltInRole[] = [
  { name: 'owner', description: 'Everything, the subscription included', permissions: allPermissions },
  {
    name: 'administrator',
    description: 'Everything but paying for the subscription and restoring backups',
    permissions: except('billing.write', 'backups.restore'),
  },
  {
    name: 'accountant',
    description: 'Invoices, payments and the figures behind them',
    permissions: [
      ...starting('invoices', 'payments'),
      'catalog.read',
      'dashboard.read',
      'billing.read',
      'contacts.read',
      'tenants.read',
    ],
  },
  {
    name: 'sales',
    description: 'Products, drafts of invoices, contacts and mail',
    permissions: [
      ...starting('catalog', 'contacts'),
      'invoices.read',
      'invoices.write',
      'payments.read',
      'email.read',
      'email.write',
      'dashboard.read',
      'tenants.read',
    ],
  },
  { name: 'viewer', description: 'May look at everything and change nothing', permissions: reading },
];
