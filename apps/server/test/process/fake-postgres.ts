import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/**
 * Speaks just enough of the PostgreSQL protocol to let anybody in and to report a version: no older PostgreSQL has to
 * be installed to see one refused.
 */
export async function startFakePostgres(test: TestContext, versionNumber: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int32(0)), readyForQuery]));
      socket.on('data', (data) => {
        if (data[0] === 'X'.charCodeAt(0)) socket.end();
        else socket.write(oneValue('server_version_num', versionNumber));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return `postgresql://tenantry_app:test@127.0.0.1:${port}/tenantry`;
}

function oneValue(name: string, value: string): Buffer {
  // No table and column, type text of any length, in text format.
  const field = Buffer.concat([text(name), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]);
  return Buffer.concat([
    message('T', Buffer.concat([int16(1), field])),
    message('D', Buffer.concat([int16(1), int32(value.length), Buffer.from(value)])),
    message('C', text('SHOW')),
    readyForQuery,
  ]);
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}

const readyForQuery = message('Z', Buffer.from('I'));
