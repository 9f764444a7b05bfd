import { errors, type JWTHeaderParameters, jwtVerify } from 'jose';
import type { Clock } from '#kernel/clock.ts';
import { commonProblems } from '#platform/http/common.problems.ts';
import { Problem } from '#platform/http/problem.ts';
import type { SigningKeys } from './signing-keys.ts';

/** What a genuine token says. Whether its client and tenant are still welcome is asked on every request. */
export interface TokenClaims {
  readonly clientId: string;
  readonly tenantId: string;
  readonly hasScope: boolean;
  readonly expiresAtMs: number;
}

const TOKENS_MAX = 5_000;

/** Verifies access tokens; a token that has been seen is not verified again, only its expiry is. */
export class AccessTokens {
  readonly #keys: SigningKeys;
  readonly #clock: Clock;
  readonly #issuer: string;
  readonly #seen = new Map<string, TokenClaims>();

  constructor(keys: SigningKeys, clock: Clock, issuer: string) {
    this.#keys = keys;
    this.#clock = clock;
    this.#issuer = issuer;
  }

  /** Synchronous for a token that was seen before. */
  verify(token: string): TokenClaims | Promise<TokenClaims> {
    const seen = this.#seen.get(token);
    if (seen === undefined) return this.#verifyNew(token);
    if (seen.expiresAtMs > this.#clock.now().getTime()) return seen;
    this.#seen.delete(token);
    throw invalidToken('The token has expired.');
  }

  async #verifyNew(token: string): Promise<TokenClaims> {
    const claims = await this.#claimsOf(token);
    if (this.#seen.size >= TOKENS_MAX) {
      const [oldest] = this.#seen.keys();
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    this.#seen.set(token, claims);
    return claims;
  }

  async #claimsOf(token: string): Promise<TokenClaims> {
    try {
      const { payload } = await jwtVerify(token, (header) => this.#keyFor(header), {
        algorithms: ['ES256'],
        typ: 'at+jwt',
        issuer: this.#issuer,
        audience: this.#issuer,
        currentDate: this.#clock.now(),
        requiredClaims: ['client_id', 'tenant_id', 'exp', 'iat', 'jti'],
      });
      return {
        clientId: String(payload.client_id),
        tenantId: String(payload.tenant_id),
        hasScope: typeof payload.scope === 'string' && payload.scope.split(' ').includes('api'),
        expiresAtMs: (payload.exp as number) * 1000,
      };
    } catch (error) {
      throw invalidToken(reasonOf(error));
    }
  }

  #keyFor(header: JWTHeaderParameters) {
    const key = header.kid === undefined ? undefined : this.#keys.publicKey(header.kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The token's claim ${error.claim} is not the expected one.`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'The token was not signed by a key of this service.';
  if (error instanceof errors.JWSSignatureVerificationFailed) return "The token's signature is wrong.";
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'The token is signed with an algorithm that is not accepted.';
  return 'The token is malformed.';
}

export const invalidToken = (detail: string): Problem =>
  new Problem(commonProblems['invalid-token'], {
    detail,
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
