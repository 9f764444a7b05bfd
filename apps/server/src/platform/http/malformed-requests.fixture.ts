import { connect } from 'node:net';

/** A request that nobody should send. `expected` is the one status that answers it. */
export interface Malformed {
  readonly name: string;
  readonly expected: number;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

const CLIENTS = '/api/settings/api-clients';
const ID = '0190a000-0000-7000-8000-000000000000';

const cursor = (value: unknown): string =>
  `${CLIENTS}?cursor=${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
const post = (name: string, body: string | Uint8Array, expected = 400, headers = {}): Malformed => ({
  name,
  expected,
  body,
  headers,
  method: 'POST',
  path: CLIENTS,
});
const get = (name: string, path: string, expected = 400, headers = {}): Malformed => ({
  name,
  expected,
  path,
  headers,
});

export const malformedBodies: readonly Malformed[] = [
  post('no JSON at all', 'name=Shop'),
  post('JSON that breaks off', '{"name":"Shop"'),
  post('JSON with a trailing comma', '{"name":"Shop",}'),
  post('JSON with a comment', '{"name":"Shop"/**/}'),
  post('two JSON values', '{"name":"Shop"}{}'),
  post('an empty body', ''),
  post('blanks for a body', '   '),
  post('null', 'null'),
  post('an array for an object', '[{"name":"Shop"}]'),
  post('a string for an object', '"Shop"'),
  post('a number for an object', '1'),
  post('NaN', '{"name":NaN}'),
  post('a number for a text', '{"name":1}'),
  post('a number beyond all numbers', '{"name":1e400}'),
  post('null for a text', '{"name":null}'),
  post('an object for a text', '{"name":{"$ne":""}}'),
  post('an object for a list', '{"name":"Shop","roles":{"0":"a"}}'),
  post('a text for a list', '{"name":"Shop","roles":"owner"}'),
  post('a list of wrong things', '{"name":"Shop","roles":[1,null,{},[]]}'),
  post('an id that is none', '{"name":"Shop","roles":["owner"]}'),
  post('an id with urn:uuid: in front', `{"name":"Shop","roles":["urn:uuid:${ID}"]}`),
  post('the same id twice', `{"name":"Shop","roles":["${ID}","${ID}"]}`),
  post('an unknown field', '{"name":"Shop","admin":true}'),
  post('an empty text', '{"name":""}'),
  post('a blank text', '{"name":" \\t "}'),
  post('a text that is too long', JSON.stringify({ name: 'x'.repeat(201) })),
  post('an escaped NUL', '{"name":"a\\u0000b"}'),
  post('an escaped NUL in a field name', '{"name":"a","b\\u0000":1}'),
  post('a raw NUL', '{"name":"a\0b"}'),
  post('half of a surrogate pair', '{"name":"a\\ud800b"}'),
  post('half of a surrogate pair in a field name', '{"\\udfff":1}'),
  post('bytes that are not UTF-8', Buffer.from('{"name":"\xff\xfe"}', 'latin1')),
  post(
    'overlong UTF-8',
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]),
  ),
  post('UTF-16', Buffer.from('{"name":"Shop"}', 'utf16le')),
  post('100,000 nested arrays', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  post('100,000 nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
  post('100,000 arrays that never close', '['.repeat(100_000)),
  post('33 levels where 32 are taken', `{"name":${'['.repeat(33)}${']'.repeat(33)}}`),
  post('__proto__', '{"name":"Shop","__proto__":{"isOperator":true}}'),
  post('an escaped __proto__', '{"name":"Shop","\\u005f_proto__":{"isOperator":true}}'),
  post('constructor.prototype', '{"name":"Shop","constructor":{"prototype":{"isOperator":true}}}'),
  post('names that objects inherit', '{"name":"Shop","toString":1,"hasOwnProperty":1}'),
  post('300,000 wrong items', `{"name":"Shop","roles":[${'1,'.repeat(300_000)}1]}`),
  post('100,000 unknown fields', `{${Array.from({ length: 80_000 }, (_, n) => `"f${n}":1`).join()}}`),
  post('text for JSON', '{"name":"Shop"}', 415, { 'content-type': 'text/plain' }),
  post('a form for JSON', 'name=Shop', 415, { 'content-type': 'application/x-www-form-urlencoded' }),
  post('XML', '<name/>', 415, { 'content-type': 'application/xml' }),
  post('a content type that is none', '{"name":"Shop"}', 415, { 'content-type': '///' }),
  post('another charset', '{"name":"Shop"}', 415, { 'content-type': 'application/json; charset=utf-16' }),
  post('a body larger than the limit', `{"name":"${'x'.repeat(1_048_576)}"}`, 413),
  { ...post('compressed JSON', Buffer.from('1f8b0800', 'hex')), headers: { 'content-encoding': 'gzip' } },
  {
    name: 'a body where none is taken',
    expected: 400,
    method: 'DELETE',
    path: `${CLIENTS}/${ID}`,
    body: '{"force":true}',
  },
];

export const malformedAddresses: readonly Malformed[] = [
  get('an id that is none', `${CLIENTS}/1`),
  get('an id with urn:uuid: in front', `${CLIENTS}/urn:uuid:${ID}`),
  get('an id in braces', `${CLIENTS}/%7B${ID}%7D`),
  get('SQL for an id', `${CLIENTS}/${encodeURIComponent("' or 1=1 --")}`),
  get('a NUL in the path', `${CLIENTS}/%00`),
  get('a NUL in the query', `${CLIENTS}?q=a%00b`),
  get('broken percent-encoding in the path', `${CLIENTS}/%E0%A4%A`),
  get('broken percent-encoding in the query', `${CLIENTS}?q=%`),
  get('bytes that are not UTF-8 in the query', `${CLIENTS}?q=%ff`),
  get('overlong UTF-8 in the path', `${CLIENTS}/%c0%af`),
  get('an id of 500 characters', `${CLIENTS}/${'a'.repeat(500)}`),
  get('an id of 4,000 characters', `${CLIENTS}/${'a'.repeat(4_000)}`, 404),
  get('steps out of the path', `${CLIENTS}/..%2f..%2fetc%2fpasswd`),
  get('an unknown path', '/api/settings/nothing', 404),
  get('a path with a slash too many', `${CLIENTS}/`, 400),
  get('an unknown query parameter', `${CLIENTS}?limit=5`),
  get('__proto__ in the query', `${CLIENTS}?__proto__=1&constructor=2`),
  get('page 0', `${CLIENTS}?page=0`),
  get('a negative page', `${CLIENTS}?page=-1`),
  get('half a page', `${CLIENTS}?page=1.5`),
  get('a page that is no number', `${CLIENTS}?page=one`),
  get('a page beyond all numbers', `${CLIENTS}?page=1e400`),
  get('an empty page', `${CLIENTS}?page=`),
  get('the page twice', `${CLIENTS}?page=1&page=2`),
  get('a search twice', `${CLIENTS}?q=a&q=b`),
  get('pages of 101', `${CLIENTS}?pageSize=101`),
  get('pages of 0', `${CLIENTS}?pageSize=0`),
  get('an unknown sort', `${CLIENTS}?sortBy=secret`),
  get('a sort that objects inherit', `${CLIENTS}?sortBy=constructor`),
  get('an unknown direction', `${CLIENTS}?sortDir=up`),
  get('an unknown status', `${CLIENTS}?status=revoked`),
  get('a search that is too long', `${CLIENTS}?q=${'x'.repeat(201)}`),
  get('a cursor that is none', `${CLIENTS}?cursor=x`),
  get('an empty cursor', `${CLIENTS}?cursor=`),
  get('a cursor of 4,001 characters', `${CLIENTS}?cursor=${'x'.repeat(4_001)}`),
  get('a cursor of null', cursor(null)),
  get(
    'a cursor with a sort that objects inherit',
    cursor({ sortBy: 'constructor', sortDir: 'asc', value: 'x', id: ID, page: 2 }),
  ),
  get(
    'a cursor with __proto__ for a sort',
    cursor({ sortBy: '__proto__', sortDir: 'asc', value: 'x', id: ID, page: 2 }),
  ),
  get(
    'a cursor with a text for a time',
    cursor({ sortBy: 'createdAt', sortDir: 'asc', value: 'x', id: ID, page: 2 }),
  ),
  get('a cursor with a wrong id', cursor({ sortBy: 'name', sortDir: 'asc', value: 'x', id: 'x', page: 2 })),
  get('a cursor with a NUL', cursor({ sortBy: 'name', sortDir: 'asc', value: '\0', id: ID, page: 2 })),
  get(
    'a cursor of a page before the first',
    cursor({ sortBy: 'name', sortDir: 'asc', value: 'x', id: ID, page: -7 }),
  ),
  get(
    'a cursor and a page',
    `${cursor({ sortBy: 'name', sortDir: 'asc', value: 'x', id: ID, page: 2 })}&page=2`,
  ),
  get('an If-None-Match without quotes', '/tenants/{own}', 400, { 'if-none-match': '1' }),
  get('a format that there is not', CLIENTS, 406, { accept: 'application/xml' }),
  {
    name: 'an If-Match without quotes',
    expected: 400,
    method: 'DELETE',
    path: `${CLIENTS}/${ID}`,
    headers: { 'if-match': '1' },
  },
  { name: 'a method that there is not', expected: 405, method: 'PATCH', path: CLIENTS, body: '{}' },
  post('an empty Idempotency-Key', '{"name":"Shop"}', 400, { 'idempotency-key': '' }),
  post('an Idempotency-Key of 256 characters', '{"name":"Shop"}', 400, {
    'idempotency-key': 'k'.repeat(256),
  }),
  post('an Idempotency-Key that is not ASCII', '{"name":"Shop"}', 400, { 'idempotency-key': 'caf\u00e9' }),
];

/** Sends bytes as they are and reads until the server closes or has sent a whole answer, or as many as are expected. */
export function sendRaw(origin: string, bytes: string | Buffer, expected = 1): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      received += text;
      if (expected > 1) return; // the last of them closes the connection
      const [head = '', body] = received.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      if (body !== undefined && Buffer.byteLength(body) >= length) socket.destroy();
    });
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)));
    socket.on('close', () => resolve(received));
  });
}
