import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { listen, listenOverTls, type RunningEmulator, readBody } from './http-server.js';
import type { Certificate } from './self-signed.js';

export interface AnsweringOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  /** Serves HTTP/2 over TLS, as vendors do; without it HTTP/1.1 in the clear, as many compatible servers. */
  readonly tls?: Certificate;
}

/** What goes wrong with requests; off by default, and changeable while it runs. */
export interface RequestFaults<Status extends number> {
  /** Answers this many requests with `failStatus`. */
  failNext: number;
  failStatus: Status;
  /** `Retry-After` of those answers, in seconds; null: none. */
  retryAfterSeconds: number | null;
}

export const noRequestFaults = () => ({
  failNext: 0,
  failStatus: 500 as const,
  retryAfterSeconds: null,
});

export interface AnswerCounters {
  requests: number;
  /** Requests that were refused for what they were (4xx). */
  refused: number;
  /** Answers that were given whole. */
  completed: number;
  /** Answers that the client gave up. */
  aborted: number;
  /** TCP connections that were ever opened. */
  connections: number;
  /** Of those, the ones that are open now. */
  open: number;
  /** Answers that are being given now. */
  active: number;
}

export function noAnswers(): AnswerCounters {
  return { requests: 0, refused: 0, completed: 0, aborted: 0, connections: 0, open: 0, active: 0 };
}

/** Why a request is not answered. */
export interface Refusal<Status extends number> {
  readonly status: Status;
  readonly message: string;
  /** The vendor's code of it; null for none, by the status when undefined. */
  readonly code?: string | null;
  /** The setting that is wrong. */
  readonly param?: string | null;
}

/** What a vendor does with requests, each of which has one answer. */
export interface AnsweringVendor<Asked extends object, Status extends number> {
  readonly maxBodyBytes: number;
  readonly counters: AnswerCounters;
  readonly faults: RequestFaults<Status>;
  /** Checks key, path and headers. */
  refusalOf(request: IncomingMessage): Refusal<Status> | undefined;
  parse(body: string): { readonly asked: Asked } | { readonly refusal: Refusal<Status> };
  sendError(response: ServerResponse, refusal: Refusal<Status>): void;
  /** Gives the answer; throws the signal's reason when the client is gone. */
  answer(asked: Asked, response: ServerResponse, gone: AbortSignal): Promise<void>;
}

/** How many accepted requests are kept. */
const KEPT_REQUESTS = 100;

/** Serves a vendor's requests on loopback. */
export async function startAnswering<Asked extends object, Status extends number>(
  { port = 0, tls }: AnsweringOptions,
  vendor: AnsweringVendor<Asked, Status>,
): Promise<{
  readonly running: RunningEmulator;
  /** The accepted requests, newest last; at most the last hundred. */
  readonly requests: readonly Asked[];
  readonly sockets: ReadonlySet<Socket>;
}> {
  const { server, running } = tls ? await listenOverTls(port, tls) : await listen(port);
  const { counters } = vendor;
  const sockets = new Set<Socket>();
  const requests: Asked[] = [];
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    counters.connections += 1;
    counters.open += 1;
    socket.on('close', () => {
      sockets.delete(socket);
      counters.open -= 1;
    });
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    serve(vendor, requests, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  return { running, requests, sockets };
}

async function serve<Asked extends object, Status extends number>(
  vendor: AnsweringVendor<Asked, Status>,
  requests: Asked[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { counters, faults } = vendor;
  const refuse = (refusal: Refusal<Status>) => {
    counters.refused += 1;
    vendor.sendError(response, refusal);
  };
  counters.requests += 1;
  const body = (await readBody(request, vendor.maxBodyBytes)).toString('utf8');
  const refusal = vendor.refusalOf(request);
  if (refusal) return refuse(refusal);
  if (faults.failNext > 0) {
    faults.failNext -= 1;
    const { retryAfterSeconds, failStatus } = faults;
    if (retryAfterSeconds !== null) response.setHeader('retry-after', retryAfterSeconds);
    return vendor.sendError(response, { status: failStatus, message: 'failed on purpose' });
  }
  const parsed = vendor.parse(body);
  if ('refusal' in parsed) return refuse(parsed.refusal);
  requests.push(parsed.asked);
  if (requests.length > KEPT_REQUESTS) requests.shift();
  await answer(vendor, parsed.asked, response);
}

async function answer<Asked extends object, Status extends number>(
  vendor: AnsweringVendor<Asked, Status>,
  asked: Asked,
  response: ServerResponse,
): Promise<void> {
  const { counters } = vendor;
  const gone = new AbortController();
  response.on('close', () => gone.abort(new Error('the client went away')));
  counters.active += 1;
  try {
    await vendor.answer(asked, response, gone.signal);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    counters.aborted += 1;
  } finally {
    counters.active -= 1;
  }
}

/** Reads the key of `Authorization: Bearer KEY`. */
export function bearerKey({ headers }: IncomingMessage): string | undefined {
  return /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
