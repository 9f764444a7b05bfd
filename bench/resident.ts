import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The resident set of a process. From /proc where there is one: a small image has no ps. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  const kilobytes =
    status === undefined
      ? (await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])).stdout.trim()
      : /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
  return Math.round(Number(kilobytes) / 102.4) / 10;
}

const SAMPLE_MS = 20;

/** The largest that it was seen to be while the work went on. */
export async function peakWhile(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = await residentMb(pid);
  const sample = setInterval(async () => {
    peak = Math.max(peak, await residentMb(pid));
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(sample);
  }
  return Math.max(peak, await residentMb(pid));
}
