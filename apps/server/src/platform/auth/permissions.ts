/** Every permission there is, with what it lets a person do. Roles hold them; routes ask for one. */
export const permissions = {
  'apps.read': 'See which apps the workspace has',
  'backups.read': 'See and download backups',
  'backups.restore': 'Restore a backup',
  'backups.write': 'Start, cancel and delete backups',
  'billing.read': 'See the subscription, its invoices and payments',
  'billing.write': 'Submit subscription payments',
  'blog.read': 'See the blog administration',
  'blog.write': 'Write, publish and moderate the blog',
  'catalog.read': 'See products and stock',
  'catalog.write': 'Change products and adjust stock',
  'company.write': 'Change the company data and branding',
  'contacts.read': 'See contacts',
  'contacts.write': 'Change, import and merge contacts',
  'dashboard.read': 'See statistics of the workspace',
  'email.manage': 'Manage mail accounts',
  'email.read': 'Read mail, templates and calendar',
  'email.write': 'Write and send mail, change templates and calendar',
  'invoices.issue': 'Issue, void and credit invoices',
  'invoices.read': 'See invoices and credit notes',
  'invoices.write': 'Write drafts of invoices',
  'payments.read': 'See payments',
  'payments.write': 'Record and refund payments',
  'roles.read': 'See roles',
  'roles.write': 'Change roles and approve assignments',
  'security.read': 'See alerts, the audit log and the password policy',
  'security.write': 'Handle alerts, change the password policy',
  'sessions.read': 'See who is signed in',
  'settings.read': 'See API clients and migration keys',
  'settings.write': 'Create, change and revoke API clients and migration keys',
  'tenants.read': 'See the workspace and its subscription',
  'users.manage': 'Invite, change and remove people, assign roles',
  'users.read': 'See the people of the workspace',
  'webhooks.read': 'See webhook endpoints and deliveries',
  'webhooks.write': 'Register and change webhook endpoints',
} as const;

export type Permission = keyof typeof permissions;

/** Held only in the platform tenant: it opens what `operator` stands for. */
export const OPERATE = 'platform.operate';

export const allPermissions = Object.keys(permissions) as Permission[];
