import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder that is removed when the work is done. Others may pass through it: as root, PostgreSQL runs as another user,
 * and in a folder closed to that user its cluster would be made elsewhere and stay behind.
 */
export async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tenantry-'));
  try {
    await chmod(folder, 0o711);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
