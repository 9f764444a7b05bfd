import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Issuer } from '#platform/auth/issuer.ts';

/** What OAuth clients look up by themselves: where the token endpoint is, and the keys that tokens are signed with. */
export function mountIssuer(app: FastifyInstance, issuer: Issuer): void {
  const pass = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.raw.removeHeader('cache-control');
    reply.hijack();
    await issuer.handle(request.raw, reply.raw);
  };
  app.get('/.well-known/openid-configuration', { config: { operationId: 'getIssuerMetadata' } }, pass);
  app.get('/.well-known/jwks', { config: { operationId: 'getSigningKeys' } }, pass);
}
