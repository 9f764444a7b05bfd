import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientWith } from '#test/behind-api.ts';
import { openTestApi } from '#test/harness.ts';
import { behindCatalog, makeProduct, PRODUCTS, pathOf, productInput } from '../product.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const { client } = tenant;
const { eventsOf, auditOf, tracesOf } = behindCatalog(api);

const everything = {
  sku: 'MUG-01',
  name: 'Café mug',
  description: 'Holds\n"tea", and more.',
  kind: 'goods',
  status: 'archived',
  unit: 'H87',
  price: '12.345678',
  currency: 'EUR',
  taxCategory: 'S',
  taxRate: '19.5',
  barcode: '4006381333931',
  category: 'Kitchen',
  tags: ['blue', 'gift'],
  trackStock: true,
  stockPolicy: 'allow',
  reorderPoint: '2.5',
  metadata: { shelf: 'A/1' },
};

describe('A new product', () => {
  it('shows every field as it was sent, at its Location, with its ETag', async () => {
    const { status, body, headers, text } = await client.post(PRODUCTS, everything);
    assert.equal(status, 201, text);
    const now = api.clock.now().toISOString();
    const { id, ...shown } = body;
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.deepEqual(shown, { ...everything, stockOnHand: '0', version: 1, createdAt: now, updatedAt: now });
    assert.equal(headers.get('location'), `${PRODUCTS}/${id}`);
    assert.equal(headers.get('etag'), '"1"');
    const read = await client.get(headers.get('location') as string);
    assert.deepEqual([read.body, read.headers.get('etag')], [body, '"1"']);
  });

  it('needs no more than sku, name, price and currency', async () => {
    const sent = productInput();
    const { id, createdAt, updatedAt, ...shown } = await makeProduct(client, sent);
    assert.deepEqual(shown, {
      ...sent,
      description: null,
      kind: 'goods',
      status: 'active',
      unit: 'C62',
      taxCategory: 'S',
      taxRate: '0',
      barcode: null,
      category: null,
      tags: [],
      trackStock: false,
      stockOnHand: '0',
      stockPolicy: 'deny',
      reorderPoint: null,
      metadata: {},
      version: 1,
    });
  });

  it('takes null for what may be absent, and numbers for decimals', async () => {
    const nothing = { description: null, barcode: null, category: null, reorderPoint: null };
    const body = await makeProduct(client, { ...nothing, price: 1234567890.12345, taxRate: 7 });
    assert.deepEqual([body.price, body.taxRate, body.reorderPoint], ['1234567890.12345', '7', null]);
    assert.equal(
      (await makeProduct(client, { price: '9999999999999.999999' })).price,
      '9999999999999.999999',
    );
  });

  it('may be as long as its limits, counted in characters', async () => {
    const cart = '🛒';
    const body = await makeProduct(client, {
      sku: cart.repeat(64),
      name: cart.repeat(200),
      description: cart.repeat(10_000),
      category: cart.repeat(500),
      tags: Array.from({ length: 50 }, (_, i) => cart.repeat(498) + String(i).padStart(2, '0')),
      metadata: Object.fromEntries(
        Array.from({ length: 50 }, (_, i) => [`${i}${cart.repeat(98)}`, cart.repeat(500)]),
      ),
    });
    assert.deepEqual((await client.get(pathOf(body))).body, body);
  });

  it('is told of in an event and in the audit log, once', async () => {
    const body = await makeProduct(client, { tags: everything.tags, metadata: everything.metadata });
    assert.deepEqual(await eventsOf(body.id), [{ type: 'product.created', data: body }]);
    assert.deepEqual(await auditOf(body.id), ['product.created']);
  });

  it('has its opening stock as the first movement of its ledger', async () => {
    const body = await makeProduct(client, { trackStock: true, stockOnHand: 7.5 });
    assert.deepEqual([body.stockOnHand, body.version], ['7.5', 1]);
    assert.deepEqual((await client.get(pathOf(body))).body, body);
    const { items } = (await client.get(`${pathOf(body)}/stock-movements`)).body;
    assert.deepEqual(
      items.map(({ kind, quantity, balance }: Record<string, string>) => [kind, quantity, balance]),
      [['adjustment', '7.5', '7.5']],
    );
    const [created, adjusted] = await eventsOf(body.id);
    assert.deepEqual(created, { type: 'product.created', data: body });
    assert.deepEqual(adjusted, { type: 'stock.adjusted', data: { ...body, movement: items[0] } });
    assert.equal((await makeProduct(client, { stockOnHand: '0.000' })).version, 1);
    const below = { trackStock: true, stockPolicy: 'allow', stockOnHand: '-3' };
    assert.equal((await makeProduct(client, below)).stockOnHand, '-3');
  });

  it('is reached under /api/v1 as well', async () => {
    const { status, body } = await client.post(`/api/v1${PRODUCTS}`, productInput());
    assert.equal(status, 201);
    assert.deepEqual((await client.get(`/api/v1${pathOf(body)}`)).body, body);
  });
});

describe('A SKU', () => {
  it('is taken whatever its case, in one workspace and not in another', async () => {
    const { sku } = await makeProduct(client, { sku: 'Straße-É1' });
    const before = await tracesOf(tenant.id);
    for (const taken of [sku, 'STRAßE-É1', 'straße-e\u03011', ' Straße-É1 ']) {
      const { status, body } = await client.post(PRODUCTS, productInput({ sku: taken }));
      assert.equal(status, 409, taken);
      assert.match(body.type, /\/problems\/sku-taken$/);
      assert.ok(body.detail.includes(taken.trim()));
    }
    assert.deepEqual(await tracesOf(tenant.id), before);
    await makeProduct((await api.newTenant()).client, { sku });
    await makeProduct(client, { sku: 'Strasse-E1' });
  });

  it('goes to exactly one of twenty at the same moment', async () => {
    const before = await tracesOf(tenant.id);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        client.post(PRODUCTS, productInput({ sku: i % 2 ? 'RACE' : 'race' })),
      ),
    );
    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array(19).fill(409)]);
    const { products, kept, events, entries, searchable, movements } = await tracesOf(tenant.id);
    assert.deepEqual(
      { products, kept, events, entries, searchable, movements },
      {
        products: before.products + 1,
        kept: before.kept + 1,
        events: before.events + 1,
        entries: before.entries + 1,
        searchable: before.searchable + 1,
        movements: before.movements,
      },
    );
  });
});

describe('An Idempotency-Key', () => {
  const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

  it('makes one product of one request that is sent often', async () => {
    const sent = productInput();
    const first = await client.post(PRODUCTS, sent, withKey('one'));
    const again = await client.post(`/api/v1${PRODUCTS}`, sent, withKey('one'));
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual([again.status, again.body], [201, first.body]);
    for (const name of ['location', 'etag']) assert.equal(again.headers.get(name), first.headers.get(name));
    assert.equal((await eventsOf(first.body.id)).length, 1);
    const other = await client.post(PRODUCTS, productInput(), withKey('one'));
    assert.equal(other.status, 422);
    assert.match(other.body.type, /\/problems\/idempotency-key-reused$/);
  });

  it('of a refused request may be used again', async () => {
    const { sku } = await makeProduct(client);
    const sent = productInput({ sku });
    assert.equal((await client.post(PRODUCTS, sent, withKey('two'))).status, 409);
    assert.equal((await client.post(PRODUCTS, { ...sent, sku: `${sku}-2` }, withKey('two'))).status, 201);
  });
});

describe('Nobody creates a product', () => {
  it('without a token', async () => {
    const { status, headers } = await api.anonymous.post(PRODUCTS, productInput());
    assert.equal(status, 401);
    assert.equal(headers.get('www-authenticate')?.startsWith('Bearer'), true);
  });

  it('without the permission, which the refusal names', async () => {
    const reader = await clientWith(api, tenant, ['catalog.read']);
    const { status, body } = await reader.post(PRODUCTS, productInput());
    assert.equal(status, 403);
    assert.match(body.type, /\/problems\/permission-denied$/);
    assert.match(body.detail, /catalog\.write/);
  });
});
