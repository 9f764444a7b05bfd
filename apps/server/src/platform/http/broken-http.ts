import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { commonProblems } from './common.problems.ts';
import { PROBLEM_TYPE, problemDocument } from './failure.ts';
import { Problem } from './problem.ts';
import { traceIdOf } from './trace.ts';

const STATUS_OF: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The header of the request is too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

/** What Node's parser cannot read at all never becomes a request; it is answered on the bare connection. */
export function refuseBrokenHttp(baseUrl: string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const [status, detail] = STATUS_OF[error.code ?? ''] ?? [400, 'The request is not valid HTTP.'];
    const kind = {
      ...commonProblems['invalid-request'],
      status,
      title: STATUS_CODES[status] ?? 'Bad Request',
    };
    const body = JSON.stringify(
      problemDocument(new Problem(kind, { detail }), baseUrl, '', traceIdOf(undefined)),
    );
    const head = [
      `HTTP/1.1 ${status} ${kind.title}`,
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}
