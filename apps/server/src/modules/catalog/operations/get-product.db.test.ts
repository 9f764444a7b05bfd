import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientWith, UNKNOWN_ID } from '#test/behind-api.ts';
import { openTestApi } from '#test/harness.ts';
import { makeProduct, pathOf } from '../product.fixture.ts';

const api = await openTestApi();
const tenant = await api.newTenant();
const rival = await api.newTenant();
const { client } = tenant;
const product = await makeProduct(client, { name: 'Café mug', metadata: { b: '1', a: '2' } });

describe('One product', () => {
  it('is shown with its ETag, whatever the case of its id, under both addresses', async () => {
    for (const path of [
      pathOf(product),
      pathOf({ id: product.id.toUpperCase() }),
      `/api/v1${pathOf(product)}`,
    ]) {
      const { status, body, headers } = await client.get(path);
      assert.deepEqual([status, body], [200, product]);
      assert.equal(headers.get('etag'), '"1"');
    }
  });

  it('is not sent again to who has it', async () => {
    const { status, text } = await client.get(pathOf(product), { headers: { 'if-none-match': '"1"' } });
    assert.deepEqual([status, text], [304, '']);
    assert.equal((await client.get(pathOf(product), { headers: { 'if-none-match': '"2"' } })).status, 200);
  });

  it('is not found where there is none, and refused where another workspace has it', async () => {
    const unknown = await client.get(pathOf({ id: UNKNOWN_ID }));
    assert.equal(unknown.status, 404);
    assert.match(unknown.body.type, /\/problems\/not-found$/);
    for (const path of [pathOf(product), `${pathOf(product)}/stock-movements`]) {
      const { status, body, text } = await rival.client.get(path);
      assert.equal(status, 403);
      assert.match(body.type, /\/problems\/other-tenant$/);
      assert.ok(!text.includes(product.sku));
    }
    const twin = await api.signIn(tenant.testingClientId, tenant.testingClientSecret);
    assert.equal((await twin.get(pathOf(product))).status, 403);
  });

  it('is refused to whoever gives no id, no token or has no permission', async () => {
    const wrong = await client.get(pathOf({ id: '17' }));
    assert.deepEqual([wrong.status, Object.keys(wrong.body.errors)], [400, ['/path/id']]);
    assert.equal((await api.anonymous.get(pathOf(product))).status, 401);
    const writer = await clientWith(api, tenant, ['catalog.write']);
    const denied = await writer.get(pathOf(product));
    assert.equal(denied.status, 403);
    assert.match(denied.body.detail, /catalog\.read/);
  });
});
