import { randomBytes } from 'node:crypto';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { ClientAccessCache } from './client-access.ts';

/**
 * oidc-provider wants a secret on a client that authenticates by one. Ours are compared by digest, so this one opens
 * nothing; it is random because it would be the key of everything if another way to authenticate were ever let in.
 */
const NO_PLAIN_SECRET = randomBytes(32).toString('base64url');

const nothing = async (): Promise<undefined> => {};

/** Our tokens are self-contained: there is nothing to keep of them. */
const nothingKept: Adapter = {
  find: nothing,
  upsert: nothing,
  findByUserCode: nothing,
  findByUid: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};

/** Where the issuer looks things up. Clients come from our own table; only those that may have a token are found. */
export function issuerAdapter(clients: ClientAccessCache): (model: string) => Adapter {
  const find = async (id: string): Promise<AdapterPayload | undefined> => {
    const access = await clients.find(id);
    if (access === undefined || !access.isActive) return undefined;
    return {
      client_id: id,
      client_secret: NO_PLAIN_SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      scope: 'api',
    };
  };
  const clientsOnly: Adapter = { ...nothingKept, find };
  return (model) => (model === 'Client' ? clientsOnly : nothingKept);
}
