import { get, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { exportProducts } from '../apps/server/src/modules/catalog/product.export.ts';
import { CopyStream } from '../apps/server/src/platform/db/copy-stream.ts';
import { ready } from '../apps/server/src/platform/db/query.ts';
import type { TenantReader } from '../apps/server/src/platform/db/tenant-reader.ts';
import type { FilledTenant } from './catalog.ts';
import { median, rounded } from './measure.ts';
import type { Plan } from './plan.ts';
import { authorized } from './requests.ts';
import { peakWhile, residentMb } from './resident.ts';
import type { Stage } from './stage.ts';
import { targets, type Verdict } from './targets.ts';

export const EXPORT_NAME = 'export as CSV';

export interface ExportResult {
  readonly rows: number;
  readonly bytes: number;
  readonly ours: Speed;
  readonly copy: Speed;
  /** Our rows per second in those of COPY. */
  readonly ratio: number;
  readonly least: number;
  readonly memory: { readonly beforeMb: number; readonly peakMb: number; readonly afterMb: number };
  readonly grownMb: number;
  readonly grownMbMost: number;
  readonly verdict: Verdict;
}

interface Speed {
  readonly medianMs: number;
  readonly rowsPerSecond: number;
}

/** What is read is thrown away; its bytes and lines are counted. */
interface Taken {
  readonly bytes: number;
  readonly lines: number;
}

/** All products of a tenant through the API and by `COPY … TO STDOUT` of the same select, in turn. */
export async function measureExport({ ours, catalog }: Stage, plan: Plan): Promise<ExportResult> {
  const tenant = await catalog.tenant('exported', plan.sizes.exported);
  const rows = tenant.size;
  const copied = await copyOut(tenant, ours.database.appUrl);
  if (copied.lines !== rows + 1) throw new Error(`COPY gave ${copied.lines} lines for ${rows} products`);
  const ourMs: number[] = [];
  const copyMs: number[] = [];
  const beforeMb = await residentMb(ours.pid);
  const peakMb = await peakWhile(ours.pid, async () => {
    for (let round = 0; round < plan.exports; round++) {
      ourMs.push(await timed(copied, () => download(tenant)));
      copyMs.push(await timed(copied, () => copyOut(tenant, ours.database.appUrl)));
    }
  });
  const afterMb = await residentMb(ours.pid);
  const [oursSpeed, copySpeed] = [speedOf(ourMs, rows), speedOf(copyMs, rows)];
  const ratio = copySpeed.medianMs / oursSpeed.medianMs;
  const grownMb = Math.round((peakMb - beforeMb) * 10) / 10;
  const { least, grownMbMost } = targets.export;
  return {
    rows,
    bytes: copied.bytes,
    ours: oursSpeed,
    copy: copySpeed,
    ratio: rounded(ratio),
    least: rounded(least),
    memory: { beforeMb, peakMb, afterMb },
    grownMb,
    grownMbMost,
    verdict: ratio >= least && grownMb < grownMbMost ? 'target met' : 'target missed',
  };
}

/** The answer must be the same to the byte count, or there is nothing to compare. */
async function timed(expected: Taken, take: () => Promise<Taken>): Promise<number> {
  const startedAt = performance.now();
  const taken = await take();
  const ms = performance.now() - startedAt;
  if (taken.bytes !== expected.bytes || taken.lines !== expected.lines)
    throw new Error(
      `an export of ${taken.lines} lines and ${taken.bytes} bytes, not ${JSON.stringify(expected)}`,
    );
  return ms;
}

async function download(tenant: FilledTenant): Promise<Taken> {
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { ...authorized(tenant), accept: 'text/csv' };
    get(`${tenant.url}/catalog/products`, { headers }, resolve).on('error', reject);
  });
  if (reply.statusCode !== 200) throw new Error(`the export was answered with ${reply.statusCode}`);
  return takeAll(reply);
}

/** As the application role under row security, on a connection of its own, as our server does it. */
async function copyOut({ tenantId }: FilledTenant, appUrl: string): Promise<Taken> {
  const client = new pg.Client({ connectionString: appUrl });
  await client.connect();
  try {
    await client.query('begin read only');
    await client.query(`select set_config('app.tenant_id', $1, true)`, [tenantId]);
    return await takeAll(
      client.query(new CopyStream(`copy (${await exportText(tenantId)}) to stdout (format csv, header)`)),
    );
  } finally {
    await client.end();
  }
}

/** The very select of our export, taken from it by a reader that runs nothing. */
async function exportText(tenantId: string): Promise<string> {
  let text = '';
  const reader = {
    tenantId,
    copyOut: async (query: Parameters<TenantReader['copyOut']>[0]) => {
      const statement = ready(query);
      if (statement.values.length > 0) throw new Error('an export of everything should need no values');
      text = statement.text;
    },
  } as unknown as TenantReader;
  await exportProducts(reader, {}, { column: 'created_at', sortDir: 'desc' }, 'csv');
  return text;
}

const NEWLINE = 10;

async function takeAll(stream: Readable): Promise<Taken> {
  let bytes = 0;
  let lines = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
  }
  return { bytes, lines };
}

function speedOf(times: readonly number[], rows: number): Speed {
  const medianMs = median(times);
  return { medianMs: Math.round(medianMs), rowsPerSecond: Math.round(rows / (medianMs / 1000)) };
}
