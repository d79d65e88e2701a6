/**
 * How a route is declared. One declaration says everything about a route, and both the server (which
 * authenticates, limits and validates by it) and the OpenAPI description are made from it:
 *
 *     export const getAgent = (agents: AgentsService) =>
 *       route({
 *         method: 'get',
 *         path: '/api/v1/agents/{agent_id}',
 *         operationId: 'getAgent',
 *         tag: 'Agents',
 *         summary: 'Get an agent',
 *         auth: 'api_key',
 *         params: z.object({ agent_id: uuid }),
 *         responses: { 200: { description: 'The agent.', schema: agentResponse } },
 *         errors: ['agent_not_found'],
 *         handler: async ({ tenant, params }) => reply(200, await agents.get(tenant, params.agent_id)),
 *       });
 *
 * - Refuse by throwing `apiError(code, …)` (or any `ServiceError`); never answer errors by hand.
 * - `errors` lists the codes of this route alone; those that every route can give are added.
 * - Query values arrive as text: use `platform/http/query.ts` (`queryInt`, `queryBoolean`) or `z.coerce`.
 * - A mutating route that creates something uses `resourceId` as the new resource's id: a request that
 *   is retried with its Idempotency-Key gets the same one, also after a crash in between, so that
 *   "insert, and on a duplicate id answer with what is there" never creates twice.
 * - A route becomes part of the process by being in a module's `routes`, `intakeRoutes` or `internalRoutes`
 *   (`platform/module.ts`), and a module by being in `src/composition.ts`.
 */
import type { Readable } from 'node:stream';
import type { ServiceError } from '@voice/shared/errors/service-error';
import type { Log } from '@voice/shared/log/log';
import type { Request, Response } from 'express';
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import type { TenantScope } from '../store/tenant-scope.js';
import type { Actor } from './actor.js';
import type { Deprecation } from './deprecation.js';
import type { ErrorCode } from './error-codes.js';
import type { Role } from './roles.js';
import type { EventSink } from './server-sent-events.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * - `api_key`: `Authorization: Bearer sk_…` alone: calls are dialed by programs, whose keys can be distinguished and
 *   withdrawn one by one
 * - `tenant`: an API key, or a session of the dashboard or of the identity provider. What is the same in sandbox
 *   and production: its handler does not get the mode, hence cannot reach what belongs to one (`TenantScope`)
 * - `tenant_in_mode`: both as well, for what is not: the prefix of the key names the mode, a session chooses it
 *   by `X-Sandbox` (production by default); the handler gets it as `scope`
 * - `tenant_live`: both as well, for powers of production: 403 `live_mode_required` in the sandbox
 * - `inter_plane`: the signed token between the planes
 * - `none`: public, or the handler verifies a signature over `rawBody` itself
 */
export type AuthKind = 'api_key' | 'tenant' | 'tenant_in_mode' | 'tenant_live' | 'inter_plane' | 'none';

/** `campaign-dispatch` counts the calls of the campaign engine, and no requests. */
/** Which budget a request counts against. `session`: what is of the default class and asked by a person's session. */
export type RateClass = 'default' | 'session' | 'dial' | 'campaign-dispatch';

/**
 * - `json`: parsed, validated by `body`
 * - `form`: application/x-www-form-urlencoded into an object of strings, validated by `body`
 * - `stream`: not read at all; the handler reads `content`, or `receive` reads the request before it
 */
export type BodyType = 'json' | 'form' | 'stream';

export interface ResponseDeclaration {
  readonly description: string;
  /** Of the JSON body; none means no body, or one that the handler sends itself (`send`). */
  readonly schema?: z.ZodType;
  /** For a body that is not JSON. */
  readonly contentType?: string;
  /** Beside the JSON body: media types that the handler sends itself (`send`) where the request wants them. */
  readonly alternatives?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}
export type ResponseDeclarations = Readonly<Record<number, ResponseDeclaration>>;

type ReplyHeaders = Readonly<Record<string, string>>;

/**
 * Streams the body as server-sent events. Resolves with whether the operation took place: only then a repeated
 * request gets the same events. `gone` aborts when nobody can get the answer any more; a client that sent an
 * Idempotency-Key can always, by asking again.
 */
export type StreamEvents = (sink: EventSink, gone: AbortSignal) => Promise<'done' | 'undone'>;

/** A body that the handler writes itself. */
interface Sent<S> {
  status: S;
  body?: undefined;
  headers?: ReplyHeaders;
  send: (response: Response) => void | Promise<void>;
}

/** What a handler may answer: one of the declared statuses with its declared body. */
type Reply<R extends ResponseDeclarations> = {
  [S in keyof R & number]: R[S] extends { schema: infer Schema extends z.ZodType }
    ?
        | { status: S; body: z.output<Schema>; headers?: ReplyHeaders }
        | (R[S] extends { alternatives: readonly string[] } ? Sent<S> : never)
    : {
        status: S;
        body?: undefined;
        headers?: ReplyHeaders;
        /** Writes the body (a file, an endless stream of events); status and headers are already set. */
        send?: (response: Response) => void | Promise<void>;
        events?: StreamEvents;
        /** Gets the request's connection as a WebSocket; of status 101 alone. */
        accept?: (socket: WebSocket) => void;
      };
}[keyof R & number];

/** Who is asking. The mode is that of the key's prefix, or what the session chooses. */
export interface Principal extends TenantScope {
  /** The key's id; `dashboard/…` or `identity/…` for sessions, `link/` and one of them for a link that it asked for. */
  readonly keyId: string;
  /** The person: whose session it is, or who created the key; null where a key does not say. */
  readonly userId: string | null;
  /** What the person may do whose session it is; undefined for keys, which no role binds. */
  readonly role?: Role;
  /** Who stands in the records as having done it; null for a link. */
  readonly actor: Actor | null;
}

interface BaseContext {
  readonly requestId: string;
  readonly log: Log;
  /** Whether who asked would be let in now; for streams, which may outlive a session. Never rejects. */
  readonly isStillAdmitted: () => Promise<boolean>;
  /** For what is created: the same for every retry under one Idempotency-Key. */
  readonly resourceId: string;
  readonly idempotencyKey: string | undefined;
  /** The body as it was sent; empty for `stream`. */
  readonly rawBody: Buffer;
  /** The body of a `stream` as it comes: between the planes, it fails at its end if it is not what was signed. */
  readonly content: Readable;
  /** For streams and for headers; everything else is in the context already. */
  readonly request: Request;
}

type RouteContext<A extends AuthKind, P, Q, B> = BaseContext &
  (A extends 'api_key' | 'tenant_in_mode'
    ? Principal & { readonly scope: TenantScope }
    : A extends 'tenant' | 'tenant_live'
      ? Omit<Principal, 'sandbox'>
      : unknown) & {
    readonly params: P;
    readonly query: Q;
    readonly body: B;
  };

interface Described {
  readonly method: Method;
  /** With parameters in braces, as in OpenAPI. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: Deprecation;
  /** Default `default`. */
  readonly rateClass?: RateClass;
  /** Default `json`. */
  readonly bodyType?: BodyType;
  /** Default 1 MiB. */
  readonly bodyLimitBytes?: number;
  /** Members and items of a JSON body, all together. Default 10,000. */
  readonly bodyMostValues?: number;
  /** Fields of the body that this route requires and its schema, which others share, leaves optional. */
  readonly requiredFields?: readonly string[];
  /** Whether the answer is replayed to the credential alone that got it, not to all of the tenant. */
  readonly replaysToCredential?: boolean;
  /**
   * Between the planes: whether a request that two replicas take changes nothing the second time. All others are
   * taken by one replica alone, which costs a write.
   */
  readonly repeatsHarmlessly?: boolean;
  /** Headers that a request must carry, and what they are; `verify` or the handler reads them. */
  readonly requiredHeaders?: Readonly<Record<string, string>>;
  /** Throws unless the body was signed by who may send it; asked before anything in it is looked at. */
  readonly verify?: (rawBody: Buffer, request: Request) => void;
  /**
   * Finds who is meant by a signed link, which stands for a credential on this route: null where the request
   * carries none. Throws 401 for one that does not count. Its `keyId` is `linkOf` the credential that asked for it,
   * which must count still. For routes that take sessions.
   */
  readonly linkPrincipal?: (request: Request) => Principal | null;
  /** What a person's browser (`Accept: text/html`) is shown instead of an error in JSON, as HTML. */
  readonly errorPage?: (error: ServiceError, requestId: string) => string;
  /** Whether the OpenAPI description shows it; default yes. */
  readonly listed?: boolean;
  readonly errors?: readonly ErrorCode[];
}

/**
 * Reads a `stream` body as it arrives into the value that `body` describes. The digest, of what the
 * client means rather than of how it is wrapped, decides whether a repeated request is the same.
 */
type Receive = (request: Request) => Promise<{ readonly value: unknown; readonly digest: Buffer }>;

type Nothing = z.ZodType<Readonly<Record<string, never>>>;
type NoBody = z.ZodType<undefined>;

export interface RouteDeclaration<
  A extends AuthKind,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends ResponseDeclarations,
> extends Described {
  readonly auth: A;
  readonly params?: P;
  readonly query?: Q;
  /** Make it `.optional()` where the body may be left out. */
  readonly body?: B;
  readonly receive?: Receive;
  readonly responses: R;
  readonly handler: (context: RouteContext<A, z.output<P>, z.output<Q>, z.output<B>>) => Promise<Reply<R>>;
}

/** A reply whatever the route. */
export interface AnyReply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: ReplyHeaders;
  readonly send?: (response: Response) => void | Promise<void>;
  readonly events?: StreamEvents;
  readonly accept?: (socket: WebSocket) => void;
}

export type AnyContext = BaseContext &
  Partial<Principal> & { readonly scope?: TenantScope } & {
    readonly params: unknown;
    readonly query: unknown;
    readonly body: unknown;
  };

/** A declared route with its types forgotten: what the server and the OpenAPI description work on. */
export interface Route extends Described {
  readonly auth: AuthKind;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly receive?: Receive;
  readonly responses: ResponseDeclarations;
  readonly handler: (context: AnyContext) => Promise<AnyReply>;
}

/** Declares a route; its handler's context and replies are typed by the schemas. */
export function route<
  A extends AuthKind,
  R extends ResponseDeclarations,
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = NoBody,
>(declaration: RouteDeclaration<A, P, Q, B, R>): Route {
  return declaration as unknown as Route;
}

/** Makes a reply with a declared body. */
export function reply<const S extends number, B>(
  status: S,
  body: B,
  headers?: ReplyHeaders,
): { status: S; body: B; headers?: ReplyHeaders } {
  return { status, body, headers };
}

/** 204. */
export function noContent(headers?: ReplyHeaders): { status: 204; headers?: ReplyHeaders } {
  return headers === undefined ? { status: 204 } : { status: 204, headers };
}

/** Builds a reply that is streamed as server-sent events, and comes to an end. */
export function eventStream<const S extends number>(
  status: S,
  events: StreamEvents,
  headers?: ReplyHeaders,
): { status: S; events: StreamEvents; headers?: ReplyHeaders } {
  return { status, events, headers };
}

/** Makes a reply whose body the handler writes itself: a file, an endless stream of events. Not for what mutates. */
export function streamed<const S extends number>(
  status: S,
  send: (response: Response) => void | Promise<void>,
  headers?: ReplyHeaders,
): { status: S; send: (response: Response) => void | Promise<void>; headers?: ReplyHeaders } {
  return { status, send, headers };
}

/**
 * Returns a reply that makes the request's connection a WebSocket. Refused with 426 where the request does not ask for
 * one, so nothing may be taken up before `accept`.
 */
export function upgraded(accept: (socket: WebSocket) => void): {
  status: 101;
  accept: (socket: WebSocket) => void;
} {
  return { status: 101, accept };
}
