import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '#platform/start-error.ts';
import { buildDirectory } from './atomic-directory.ts';
import type { Binaries } from './binaries.ts';
import { run } from './command.ts';
import { isCluster, type Place } from './place.ts';
import { cleanLines } from './server-log.ts';

/** Runs initdb where there is no cluster yet. It syncs what it made to the disk before it ends. */
export async function makeCluster(
  place: Place,
  binaries: Binaries,
  superuserPassword: string,
): Promise<void> {
  const { directory, runAs } = place;
  await buildDirectory(directory, isCluster, async (workshop) => {
    const passwordFile = join(workshop, 'password');
    const cluster = join(workshop, 'cluster');
    await writeFile(passwordFile, superuserPassword, { mode: 0o600 });
    if (runAs) await Promise.all([passwordFile, workshop].map((path) => chown(path, runAs.uid, runAs.gid)));

    const { code, stderr } = await run(
      join(binaries.directory, 'initdb'),
      [
        `--pgdata=${cluster}`,
        '--username=postgres',
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--data-checksums',
        ...localeOptions(binaries.major),
      ],
      { runAs, cwd: workshop },
    );
    if (code === 0) return cluster;
    // The first lines name the cause; what follows is initdb cleaning up.
    const cause = cleanLines(stderr).slice(0, 3).join(' | ');
    throw new StartError(`PostgreSQL cannot make its database in ${directory}: ${cause}`);
  });
}

/** PostgreSQL itself would say so too, but only in its log. */
export async function checkMajor({ directory }: Place, binaries: Binaries): Promise<void> {
  const major = (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  if (major === String(binaries.major)) return;
  throw new StartError(
    `The database in ${directory} was made by PostgreSQL ${major} and this is PostgreSQL ${binaries.major}: ` +
      'start the version of Tenantry that made it, or move the data with pg_dump and pg_restore.',
  );
}

/**
 * Texts sort by code point everywhere, and lower() knows all letters. The builtin provider, new in 17, does so
 * without a locale of the operating system, whose upgrades would break indexes.
 */
function localeOptions(major: number): string[] {
  if (major < 17) return ['--locale=C.UTF-8'];
  return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}
