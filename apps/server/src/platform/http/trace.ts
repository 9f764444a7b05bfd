import { randomBytes } from 'node:crypto';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;
const REQUEST_ID = /^[\w.:-]{1,128}$/;
const NO_TRACE = '0'.repeat(32);

/** Random per process, then counted: as unique as a random number and a good deal cheaper. */
const processPart = randomBytes(8).toString('hex');
let count = randomBytes(4).readUInt32BE();

const newTraceId = (): string => {
  count = (count + 1) % Number.MAX_SAFE_INTEGER;
  return processPart + count.toString(16).padStart(16, '0');
};

/** The trace that the caller is in (W3C Trace Context), or a new one. */
export function traceIdOf(traceparent: string | string[] | undefined): string {
  const parent = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
  return parent === undefined || parent === NO_TRACE ? newTraceId() : parent;
}

/** The caller's own id of the request, sent back so that both sides can find it in their logs. */
export const requestIdOf = (header: string | string[] | undefined, traceId: string): string =>
  typeof header === 'string' && REQUEST_ID.test(header) ? header : traceId;
