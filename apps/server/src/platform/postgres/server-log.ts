import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

const limitBytes = 10 * 1024 * 1024;

/** PostgreSQL writes to a file, because its lines would break the JSON that our own output is. */
export interface ServerLog {
  readonly path: string;
  readonly file: FileHandle;
  /** Where this start's lines begin. */
  readonly offset: number;
}

/** Only a start rotates, since a postmaster that runs keeps the file open. One older file is kept. */
export async function openServerLog(dataDir: string): Promise<ServerLog> {
  const path = join(dataDir, 'postgres.log');
  if ((await sizeOf(path)) > limitBytes) await rename(path, `${path}.1`);
  const file = await open(path, 'a', 0o600);
  return { path, file, offset: await sizeOf(path) };
}

export async function readLines({ path, offset }: Omit<ServerLog, 'file'>): Promise<string[]> {
  return cleanLines((await readFile(path)).subarray(offset).toString('utf8'));
}

/** Without times and process ids, which tell a person nothing in a message of one line. */
export function cleanLines(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^\d{4}-\d\d-\d\d [\d:.]+ \S+ \[\d+\] /, '').trim());
  return lines.filter(Boolean);
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
