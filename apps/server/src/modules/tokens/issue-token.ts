import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Type } from 'typebox';
import { commonProblems } from '#platform/http/common.problems.ts';
import { handOver } from '#platform/http/hand-over.ts';
import { defineRawRoute, type Route } from '#platform/http/route.ts';
import { OneOf, Strict } from '#platform/http/schemas.ts';
import type { Platform } from '#platform/platform.ts';

const OAuthError = Strict(
  { error: Type.String(), error_description: Type.Optional(Type.String()) },
  { title: 'OAuthError' },
);

export const issueTokenRoute = ({ issuer, limits }: Pick<Platform, 'issuer' | 'limits'>): Route =>
  defineRawRoute({
    method: 'POST',
    path: '/connect/token',
    operationId: 'issueToken',
    summary: 'An access token for an API client (OAuth 2.0, client credentials)',
    description:
      'Credentials go into the body or into an `Authorization: Basic` header. Failures are told in the form of OAuth (RFC 6749, 5.2).',
    area: 'Tokens',
    consumes: 'application/x-www-form-urlencoded',
    body: Strict({
      grant_type: OneOf(['client_credentials'] as const),
      client_id: Type.Optional(Type.String()),
      client_secret: Type.Optional(Type.String()),
      scope: Type.Optional(OneOf(['api'] as const)),
    }),
    example: { grant_type: 'client_credentials', client_id: 'tc_…', client_secret: 'ts_…', scope: 'api' },
    response: Strict({
      access_token: Type.String({ description: 'A JWT, to be sent as `Authorization: Bearer <token>`.' }),
      token_type: OneOf(['Bearer'] as const),
      expires_in: Type.Integer({ description: 'Seconds.' }),
      scope: Type.Optional(Type.String()),
    }),
    problems: [commonProblems['rate-limited'], commonProblems['database-unavailable']],
    otherAnswers: {
      400: { description: 'Refused in the form of OAuth', schema: OAuthError },
      401: { description: 'The client is unknown, or its secret is wrong', schema: OAuthError },
    },
    raw: async (request, reply) => {
      try {
        const clientId =
          clientIdOfHeader(request.headers.authorization) ?? (await clientIdOfBody(request.raw));
        const isKnown = clientId !== undefined && (await issuer.knows(clientId));
        // Ids that nobody has are counted together: one for each guess would be no limit at all.
        await limits.ofTokenRequest(reply, isKnown ? clientId : '', request.ip);
        // The issuer lets every origin in unless a header of this kind is set. Whom the settings let in is told already.
        reply.header('access-control-expose-headers', 'RateLimit, RateLimit-Policy, Retry-After');
        await issuer.handle(request.raw, handOver(reply));
      } finally {
        request.raw.resume(); // what is left unread of a body would hold up the next request of the connection
      }
    },
  });

function clientIdOfHeader(authorization: string | undefined): string | undefined {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  return formDecoded(Buffer.from(encoded, 'base64').toString().split(':', 1)[0] as string);
}

/** A Basic header holds form-encoded text (RFC 6749, 2.3.1): spelt in another way it is still the same client. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text; // the issuer refuses it
  }
}

/** Looks at the beginning of the body and puts it back: the issuer reads the stream itself. */
async function clientIdOfBody(request: IncomingMessage): Promise<string | undefined> {
  const hasBody =
    Number(request.headers['content-length'] ?? 0) > 0 || request.headers['transfer-encoding'] !== undefined;
  if (!hasBody) return undefined;
  if (request.readableLength === 0 && !request.readableEnded)
    await Promise.race([once(request, 'readable'), once(request, 'end')]);
  const chunk = request.read() as Buffer | null;
  if (chunk === null) return undefined;
  request.unshift(chunk);
  return new URLSearchParams(chunk.toString('latin1')).get('client_id') ?? undefined;
}
