import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestApi } from '#test/harness.ts';

const api = await openTestApi();
const PATH = '/api/settings/api-clients';

describe('API clients', () => {
  it('are created with a secret that is shown once and works', async () => {
    const { client } = await api.newTenant();
    const created = await client.post(PATH, { name: 'Shop' });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers.get('location'), `${PATH}/${created.body.id}`);
    const shown = await client.get(`${PATH}/${created.body.id}`);
    assert.equal(shown.status, 200);
    assert.equal(shown.body.clientSecret, undefined);
    const shop = await api.signIn(created.body.clientId, created.body.clientSecret);
    assert.equal((await shop.get('/tenants')).status, 200);
  });

  it('lose their access with the reply to their revocation', async () => {
    const { client } = await api.newTenant();
    const { body } = await client.post(PATH, { name: 'Shop' });
    const shop = await api.signIn(body.clientId, body.clientSecret);
    assert.equal((await shop.get('/tenants')).status, 200);
    assert.equal((await client.delete(`${PATH}/${body.id}`)).status, 204);
    assert.equal((await shop.get('/tenants')).status, 401);
    assert.equal((await client.get(`${PATH}/${body.id}`)).status, 404);
  });
});
