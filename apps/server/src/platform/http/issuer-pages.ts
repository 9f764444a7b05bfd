import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Issuer } from '#platform/auth/issuer.ts';
import { handOver } from './hand-over.ts';

/** What OAuth clients look up by themselves: where the token endpoint is, and the keys that tokens are signed with. */
export function mountIssuer(app: FastifyInstance, issuer: Issuer): void {
  const pass = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.removeHeader('cache-control'); // the issuer knows how long these may be kept
    await issuer.handle(request.raw, handOver(reply));
  };
  app.get('/.well-known/openid-configuration', { config: { operationId: 'getIssuerMetadata' } }, pass);
  app.get('/.well-known/jwks', { config: { operationId: 'getSigningKeys' } }, pass);
}
