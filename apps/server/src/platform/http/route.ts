import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Permission } from '#platform/auth/permissions.ts';
import type { Principal } from '#platform/auth/principal.ts';
import type { AcrossTx } from '#platform/db/across-tx.ts';
import type { TenantReader } from '#platform/db/tenant-reader.ts';
import type { TenantTx } from '#platform/db/tenant-tx.ts';
import type { Download } from './download.ts';
import type { ProblemKind } from './problem.ts';

type ReadMethod = 'GET';
type WriteMethod = 'POST' | 'PUT' | 'DELETE';
type Method = ReadMethod | WriteMethod;

/** What a handler is given: the parsed request and nothing that it did not ask for. */
export interface Call<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The time of the request; everything that it does happens at this time. */
  readonly now: Date;
  readonly traceId: string;
  readonly ipAddress: string;
  /** The entity tags of `If-Match`, for operations that check them under their lock. */
  readonly ifMatch: readonly string[] | undefined;
  /** The format chosen from `produces` by the `Accept` header. */
  readonly accepted: string;
}

interface ByPrincipal {
  readonly principal: Principal;
  /** Refused unless the principal operates the platform. */
  acrossTenants<T>(reason: string, work: (across: AcrossTx) => Promise<T>): Promise<T>;
}

type TenantCall<M extends Method> = ByPrincipal &
  (M extends ReadMethod ? { readonly db: TenantReader } : { readonly tx: TenantTx });

/** An operator works across tenants: the whole request is one audited transaction. */
interface OperatorCall {
  readonly principal: Principal;
  readonly across: AcrossTx;
}

/** Everything that some handler is given. */
type AnyCall = TenantCall<ReadMethod> & TenantCall<WriteMethod> & OperatorCall;

export type Access = 'public' | 'user' | 'operator';

type CallFor<M extends Method, A extends Access | undefined> = A extends 'public'
  ? object
  : A extends 'operator'
    ? OperatorCall
    : TenantCall<M>;

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** The area of the API that it is listed under. */
  readonly area: string;
  /** The problems of its own; those that any route can meet are added. */
  readonly problems?: readonly ProblemKind[];
  /** Answers of another form than ours, by status: neither the success nor one of the problems. */
  readonly otherAnswers?: Readonly<
    Record<number, { readonly description: string; readonly schema: TSchema }>
  >;
  /** A body that passes, for the reference and for the tests that are generated from the route table. */
  readonly example?: unknown;
}

/** What the schema of a body cannot say, because it is about several of its fields. */
export interface BodyRule<Body> {
  /** The fault is told of the first; it is looked for only where the schema finds no fault with any of them. */
  readonly about: readonly [keyof Body & string, ...(keyof Body & string)[]];
  /** The fault, to be read after the name of the field. */
  readonly fault: (body: Body) => string | undefined;
}

interface Shaped<Params extends TSchema, Query extends TSchema, Body extends TSchema, Reply extends TSchema> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly rules?: readonly BodyRule<Static<Body>>[];
  /** Absent: the answer has no body. */
  readonly response?: Reply;
  /** Formats that it answers in, the default first. Those that are not JSON are answered with a Download. */
  readonly produces?: readonly string[];
  /** For a POST that creates: the path of what was created. It answers 201 with `Location`. */
  readonly creates?: (reply: Static<Reply>) => string;
  /** For a single resource: what its `ETag` is made from. */
  readonly version?: (reply: Static<Reply>) => string | number;
  /** More headers of the answer. */
  readonly headers?: (reply: Static<Reply>) => Readonly<Record<string, string>>;
  /** The status, where the answer itself decides it (a health check). */
  readonly status?: (reply: Static<Reply>) => number;
  /** The format of the body, where it is not JSON. */
  readonly consumes?: string;
}

type Definition<
  M extends Method,
  A extends Access | undefined,
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Reply extends TSchema,
> = Described &
  Shaped<Params, Query, Body, Reply> & {
    readonly method: M;
    /** As OpenAPI writes it: `/catalog/products/{id}`. */
    readonly path: `/${string}`;
    /** Who may call it, unless a permission says so. */
    readonly access?: A;
    readonly permission?: A extends Access ? never : Permission;
    readonly handle: (
      call: Call<Static<Params>, Static<Query>, Static<Body>> & CallFor<M, A>,
    ) => Promise<Static<Reply> | Download> | Static<Reply> | Download;
  };

type RawHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** A route as the table holds it: all that the mount, OpenAPI, and the generated tests need to know. */
export interface Route extends Described, Omit<Shaped<TSchema, TSchema, TSchema, TSchema>, 'rules'> {
  readonly rules?: readonly BodyRule<Record<string, unknown>>[];
  readonly method: Method;
  readonly path: string;
  readonly access: Access | 'tenant';
  readonly permission: Permission | undefined;
  /** Answers the request itself, past validation and serialization. */
  readonly raw?: RawHandler;
  readonly handle: (call: Call<unknown, unknown, unknown> & Partial<AnyCall>) => unknown;
}

/** One operation of the API, as a value. Nothing happens until the table that holds it is mounted. */
export function defineRoute<
  const M extends Method,
  const A extends Access | undefined = undefined,
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Reply extends TSchema = TSchema,
>(definition: Definition<M, A, Params, Query, Body, Reply>): Route {
  // What the definition knows of its schemas is forgotten here, once: the mount hands each handler what it asks for.
  return {
    ...definition,
    access: definition.access ?? 'tenant',
    permission: definition.permission,
  } as unknown as Route;
}

/** A public operation that speaks a protocol of its own: it reads the request and writes the answer by itself. */
export const defineRawRoute = (
  definition: Described &
    Shaped<TSchema, TSchema, TSchema, TSchema> & {
      readonly method: Method;
      readonly path: `/${string}`;
      readonly raw: RawHandler;
    },
): Route => ({
  ...definition,
  access: 'public',
  permission: undefined,
  handle: () => {
    throw new Error(`${definition.operationId} answers by itself.`);
  },
});

/** A column of `operations.tsv`: `public`, `user`, `operator` or `tenant:<permission>`. */
export const accessLabel = (route: Route): string =>
  route.access === 'tenant' ? `tenant:${route.permission}` : route.access;
