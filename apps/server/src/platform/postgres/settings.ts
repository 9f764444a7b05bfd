/**
 * Passed on the command line, so that an update of Tenantry changes them for clusters that exist. `fsync` and
 * `synchronous_commit` are left on: what was answered with success is on the disk.
 */
const defaults: Readonly<Record<string, string>> = {
  cluster_name: 'tenantry',
  max_connections: '100',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '128MB',
  max_wal_size: '2GB',
  wal_compression: 'on',
  // The queries are short: compiling one costs more than it saves.
  jit: 'off',
  // Solid state is what servers have; the default of 4 is a spinning disk's.
  random_page_cost: '1.1',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Details and statements hold the data of tenants, which has no place in a log file.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

/** Unix socket only: no port of the machine is taken, and nobody reaches the database through the network. */
export function serverArguments(
  cluster: string,
  socketDirectory: string,
  port: number,
  extra: Readonly<Record<string, string>> = {},
): string[] {
  const settings = {
    ...defaults,
    ...extra,
    listen_addresses: '',
    port: String(port),
    unix_socket_permissions: '0700',
    // This is a list, so a comma in the path would split it without the quotes.
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
  };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
