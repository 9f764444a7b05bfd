import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openTestApi } from '#test/harness.ts';
import { describeApi } from '../../server.ts';
import { commonProblems } from './common.problems.ts';
import { problemsOf } from './route-problems.ts';

const api = await openTestApi();
const { problems, routes } = describeApi(api.platform);
const { body: document } = await api.anonymous.get('/openapi.json');

describe('/openapi.json', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
    assert.equal(document.openapi, '3.1.0');
  });

  it('lists every operation once, with a summary, an area and what can go wrong', () => {
    const operations = Object.values<Record<string, Record<string, unknown>>>(document.paths).flatMap(
      (path) => Object.values(path),
    );
    assert.equal(operations.length, routes.length);
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, routes.length);
    for (const { operationId, summary, tags, responses } of operations) {
      assert.ok(String(summary).length > 5, String(operationId));
      assert.equal((tags as string[]).length, 1);
      assert.ok(Object.keys(responses as object).some((status) => status.startsWith('2')));
      assert.ok(Object.keys(responses as object).some((status) => status >= '400'));
    }
  });

  it('names what an SDK makes types of: resources, their lists, bodies of requests and answers', () => {
    const names = Object.keys(document.components.schemas);
    const wanted = ['Tenant', 'TenantList', 'CreateTenantRequest', 'CreateTenantResponse', 'Problem'];
    assert.deepEqual(
      wanted.filter((name) => !names.includes(name)),
      [],
    );
    const { content } = document.paths['/tenants/{id}'].get.responses[200];
    assert.equal(content['application/json'].schema.$ref, '#/components/schemas/Tenant');
    assert.ok(!JSON.stringify(document).includes('x-table'));
  });

  it('tells the failures of the token endpoint in the form that they have', () => {
    const { responses } = document.paths['/connect/token'].post;
    for (const status of [400, 401])
      assert.deepEqual(Object.keys(responses[status].content), ['application/json']);
    assert.deepEqual(Object.keys(responses[429].content), ['application/problem+json']);
  });

  it('gives an example of every body', () => {
    for (const route of routes.filter(({ body }) => body !== undefined)) {
      const operation = document.paths[route.path][route.method.toLowerCase()];
      for (const content of Object.values<{ example?: unknown }>(operation.requestBody.content)) {
        assert.notEqual(content.example, undefined, route.operationId);
      }
    }
  });
});

describe('The reference at /docs', () => {
  it('loads nothing from elsewhere', async () => {
    const page = await api.anonymous.get('/docs');
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    const references = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, address]) => address as string,
    );
    assert.ok(references.length >= 3);
    for (const address of references) {
      assert.match(address, /^\/docs\//);
      assert.equal((await api.anonymous.get(address)).status, 200, address);
    }
    assert.match(
      (await api.anonymous.get('/docs/start.js')).text,
      /url: '\/openapi\.json'.*validatorUrl: null/s,
    );
    assert.ok(!/https?:/.test(page.headers.get('content-security-policy') ?? ''));
  });
});

describe('The kinds of problems', () => {
  it('have one page each, which tells what happened and what to do', async () => {
    for (const { slug, title, status } of problems) {
      const page = await api.anonymous.get(`/problems/${slug}`);
      assert.equal(page.status, 200, slug);
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
      assert.ok(page.text.includes(title) && page.text.includes(String(status)));
    }
    const index = await api.anonymous.get('/problems');
    for (const { slug } of problems) assert.ok(index.text.includes(`/problems/${slug}`));
    assert.equal((await api.anonymous.get('/problems/no-such-kind')).status, 404);
  });

  it('have a slug of their own', () => {
    assert.equal(new Set(problems.map(({ slug }) => slug)).size, problems.length);
    for (const { slug } of problems) assert.match(slug, /^[a-z]+(-[a-z]+)*$/);
  });

  it('are all declared by a route, but for those that are met before one is found', () => {
    const beforeRoutes = ['method-not-allowed', 'not-acceptable'].map(
      (slug) => commonProblems[slug as keyof typeof commonProblems],
    );
    const declared = new Set([...routes.flatMap(problemsOf), ...beforeRoutes]);
    assert.deepEqual(
      problems.filter((kind) => !declared.has(kind)).map(({ slug }) => slug),
      [],
    );
  });

  it('that a route declares are all in a catalogue', () => {
    const known = new Set(problems);
    for (const route of routes) {
      for (const kind of problemsOf(route)) assert.ok(known.has(kind), `${route.operationId}: ${kind.slug}`);
    }
  });
});
