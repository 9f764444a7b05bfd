import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { StartError } from '#platform/start-error.ts';
import { createDurably } from './durable-file.ts';

export interface Secrets {
  /** 32 bytes; the private keys and secrets in the database are encrypted with it. */
  readonly instanceKey: Buffer;
  readonly ownerPassword: string;
  readonly appPassword: string;
  readonly superuserPassword: string;
}

/** Makes the directory where it is missing, and finds out now, not in mid-flight, whether we may write there. */
export async function prepareDataDirectory(path: string): Promise<string> {
  const wanted = resolve(path);
  try {
    // Parents get the usual mode: private ones would bar the way to the user that PostgreSQL runs as.
    await mkdir(dirname(wanted), { recursive: true });
    await mkdir(wanted, { mode: 0o700 }).catch(tolerateExisting);
    await tryToWrite(wanted);
    return await realpath(wanted);
  } catch (error) {
    throw new StartError(`Tenantry cannot write to ${wanted}, its data directory: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

/**
 * The secrets of this instance, made at the first start and kept in `secrets.json`. An instance key that the
 * operator gives (from a vault, say) is not written down, or giving it would protect nothing.
 */
export async function keepSecrets(dataDir: string, givenInstanceKey?: Buffer): Promise<Secrets> {
  const path = join(dataDir, 'secrets.json');
  const kept = (await readSecrets(path)) ?? (await makeSecrets(path, givenInstanceKey === undefined));
  const instanceKey = givenInstanceKey ?? decodeKey(kept.instanceKey);
  if (instanceKey === undefined) {
    // A new key here would leave everything encrypted with the old one unreadable.
    throw new StartError(
      `${path} holds no instance key, because one was given at the first start: set TENANTRY_SECRET_KEY to it again.`,
    );
  }
  return { ...kept, instanceKey };
}

type KeptSecrets = Omit<Secrets, 'instanceKey'> & { readonly instanceKey?: string };

async function makeSecrets(path: string, withInstanceKey: boolean): Promise<KeptSecrets> {
  const fresh: KeptSecrets = {
    ...(withInstanceKey && { instanceKey: randomBytes(32).toString('base64') }),
    ownerPassword: makePassword(),
    appPassword: makePassword(),
    superuserPassword: makePassword(),
  };
  try {
    if (await createDurably(path, `${JSON.stringify(fresh, null, 2)}\n`)) return fresh;
  } catch (error) {
    throw new StartError(`Tenantry cannot write to ${path}: ${reasonOf(error)}.`, { cause: error });
  }
  // Another start was faster, and its database knows its passwords only.
  return (await readSecrets(path)) ?? fresh;
}

async function readSecrets(path: string): Promise<KeptSecrets | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
    // A file brought back from a backup is often readable by all.
    if ((await stat(path)).mode & 0o077) await chmod(path, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StartError(`Tenantry cannot read ${path}: ${reasonOf(error)}.`, { cause: error });
  }
  const secrets = parseSecrets(text);
  if (!secrets) throw new StartError(`${path} is damaged: restore it from a backup.`);
  return secrets;
}

function parseSecrets(text: string): KeptSecrets | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { instanceKey, ownerPassword, appPassword, superuserPassword } = value as Record<string, unknown>;
  if (!isText(ownerPassword) || !isText(appPassword) || !isText(superuserPassword)) return undefined;
  if (instanceKey === undefined) return { ownerPassword, appPassword, superuserPassword };
  if (!isText(instanceKey) || Buffer.from(instanceKey, 'base64').length !== 32) return undefined;
  return { instanceKey, ownerPassword, appPassword, superuserPassword };
}

function decodeKey(text: string | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'base64');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Letters and digits only, so that it needs no escaping in a URL, in SQL or in a shell. */
function makePassword(): string {
  return randomBytes(24).toString('hex');
}

const PROBE = '.probe-';

/** Asking for permission is not enough: root gets it on a read-only mount, and everyone on a full disk. */
async function tryToWrite(directory: string): Promise<void> {
  const file = await open(join(directory, `${PROBE}${randomBytes(6).toString('hex')}`), 'wx', 0o600);
  try {
    await file.writeFile('x');
  } finally {
    await file.close();
    await removeProbes(directory);
  }
}

/** Ours, and what a start that was killed right here has left. Another start does not miss its own. */
async function removeProbes(directory: string): Promise<void> {
  const probes = (await readdir(directory)).filter((name) => name.startsWith(PROBE));
  await Promise.all(probes.map((name) => rm(join(directory, name), { force: true })));
}

function tolerateExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? message : getSystemErrorMessage(errno);
}
