/** Areas whose paths carry no /api in front. */
const BARE_AREAS = new Set([
  'catalog',
  'invoices',
  'credit-notes',
  'payments',
  'received-invoices',
  'tenants',
  'webhooks',
  'connect',
]);

const PREFIX = '/api/v1/';

/** Every operation is also served under /api/v1/: one rule here, instead of each route registered twice. */
export function rewriteVersion(url: string): string {
  if (!url.startsWith(PREFIX)) return url;
  const rest = url.slice(PREFIX.length);
  const area = rest.split(/[/?#]/, 1)[0] ?? '';
  if (area === 'migration') return url;
  return BARE_AREAS.has(area) ? `/${rest}` : `/api/${rest}`;
}
