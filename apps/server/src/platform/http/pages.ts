import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { commonProblems } from './common.problems.ts';
import { Problem, type ProblemKind } from './problem.ts';

/** The pages that people read: the reference at /docs, and what each problem means. They need no internet. */
export function mountPages(app: FastifyInstance, openApi: object, problems: readonly ProblemKind[]): void {
  const document = JSON.stringify(openApi);
  const config = (operationId: string) => ({ config: { operationId } });
  app.get('/', config('getStartPage'), (_request, reply) => reply.redirect('/docs'));
  app.get('/openapi.json', config('getOpenApi'), (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(document),
  );

  for (const [path, file, type] of ASSETS) {
    const content = readFileSync(join(swaggerUi, file));
    app.get(`/docs/${path}`, config('getReferenceAsset'), (_request, reply) =>
      reply.header('cache-control', 'public, max-age=3600').type(type).send(content),
    );
  }
  app.get('/docs/start.js', config('getReferenceAsset'), (_request, reply) => reply.type(SCRIPT).send(START));
  app.get('/docs', config('getReference'), (_request, reply) => sendPage(reply, REFERENCE));

  const bySlug = new Map(problems.map((kind) => [kind.slug, kind]));
  app.get('/problems', config('listProblems'), (_request, reply) => sendPage(reply, problemIndex(problems)));
  app.get<{ Params: { slug: string } }>('/problems/:slug', config('getProblem'), (request, reply) => {
    const kind = bySlug.get(request.params.slug);
    if (kind !== undefined) return sendPage(reply, problemPage(kind));
    throw new Problem(commonProblems['not-found'], {
      detail: `There is no kind of problem called ${request.params.slug}.`,
    });
  });
}

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const SCRIPT = 'text/javascript; charset=utf-8';
const ASSETS = [
  ['swagger-ui.css', 'swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'swagger-ui-bundle.js', SCRIPT],
] as const;

const START = `window.ui = SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: 'list', filter: true,
  displayRequestDuration: true, tagsSorter: 'alpha', validatorUrl: null,
});\n`;

const POLICY =
  "default-src 'none'; connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(html);
}

const REFERENCE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tenantry API reference</title><link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="reference"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body>
</html>
`;

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Tenantry</title>
<style>
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; color: #1c2430; }
  h1 { line-height: 1.2; } code { background: #eef1f5; border-radius: 3px; padding: .1em .3em; }
  a { color: #0b57b0; } td, th { text-align: left; vertical-align: top; padding: .3rem 1rem .3rem 0; } .muted { color: #5b6675; }
</style></head>
<body>${body}</body>
</html>
`;

const problemPage = ({ slug, status, title, meaning, remedy }: ProblemKind): string =>
  page(
    title,
    `<p class="muted"><a href="/problems">Problems</a> · <code>${slug}</code></p>
<h1>${title} <span class="muted">${status}</span></h1>
<h2>What happened</h2><p>${withCode(meaning)}</p>
<h2>What you can do</h2><p>${withCode(remedy)}</p>
<p class="muted">The answer's <code>detail</code> names the very thing; its <code>traceId</code> finds it in the logs.</p>`,
  );

function problemIndex(problems: readonly ProblemKind[]): string {
  const rows = problems
    .toSorted((a, b) => a.status - b.status || a.slug.localeCompare(b.slug))
    .map(
      ({ slug, status, meaning }) =>
        `<tr><td>${status}</td><td><a href="/problems/${slug}">${slug}</a></td><td>${withCode(meaning)}</td></tr>`,
    );
  return page(
    'Problems',
    `<h1>Problems</h1><p>Every way in which this API says no.</p><table>${rows.join('\n')}</table>`,
  );
}

/** The catalogues are written with `code` in them. */
const withCode = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/`([^`]+)`/g, '<code>$1</code>');
