import { hasTimedOut, withJoinedSignal } from '@voice/shared/abort/with-joined-signal';
import type { Clock } from '@voice/shared/clock/clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { Agent, type Dispatcher } from 'undici';
import { ControlPlaneRefusal } from './control-plane-refusal.js';
import { hashInPieces, PIECE_BYTES } from './hash-in-pieces.js';

export interface ControlPlaneRequest {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly timeoutMs: number;
  /** A time-out says nothing of the replica: its answer waits for somebody else's. By default the replica is left. */
  readonly keepsReplica?: boolean;
}

export interface ControlPlaneClientOptions {
  /** One for each replica, or that of a balancer; at least one. */
  readonly baseUrls: readonly string[];
  readonly secret: string;
  readonly clock: Clock;
}

/** Answers of a replica that cannot serve now, while another one may. */
const TRY_ANOTHER: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Speaks to the control plane: every request carries a fresh token bound to it, and has a time-out. Of several
 * replicas it stays with one as long as that answers; who fails is left for the next, and what waits for an
 * answer of one that does not answer is given back to its sender, to be sent to the next.
 */
export class ControlPlaneClient {
  readonly #options: ControlPlaneClientOptions;
  /**
   * Its own: where a library has called `fetch` before, the process-wide one is the copy of undici that Node carries
   * inside, and both copies would be compiled and run.
   */
  readonly #connections: Dispatcher = new Agent();
  /** Index of the replica that is spoken to. */
  #current = 0;
  /** Aborts what waits for the current replica, once that was left. */
  #left = new AbortController();

  constructor(options: ControlPlaneClientOptions) {
    if (options.baseUrls.length === 0) throw new Error('The control plane has no address.');
    this.#options = options;
  }

  /** Returns how many replicas there are to try. */
  get replicas(): number {
    return this.#options.baseUrls.length;
  }

  /**
   * Resolves with the parsed JSON body (null when there is none) of a 2xx answer. Throws a `ServiceError`
   * otherwise: retryable when the control plane is away or failing, final when it refuses the request.
   */
  async send(request: ControlPlaneRequest): Promise<unknown> {
    const { method, path, body, timeoutMs } = request;
    const { baseUrls, secret, clock } = this.#options;
    const isLong = typeof body !== 'string' && body.length > PIECE_BYTES;
    const bodyHash = isLong ? await hashInPieces(body) : undefined;
    const replica = this.#current;
    let status: number;
    let text: string;
    let isLate = false;
    try {
      const { origin, pathname, search } = new URL(baseUrls[replica]! + path);
      const headers = {
        ...request.headers,
        'content-type': request.contentType,
        authorization: interPlaneAuthorization({ secret, method, path, body, bodyHash, now: clock.now() }),
      };
      // undici's own limit counts from before the body is sent, and would end a long upload after five minutes.
      const target = { origin, path: pathname + search, method, body, headers, headersTimeout: 0 };
      ({ status, text } = await withJoinedSignal(
        { signals: [this.#left.signal], timeoutMs },
        async (signal) => {
          signal.addEventListener('abort', () => {
            isLate = hasTimedOut(signal);
          });
          const { statusCode, body: answer } = await this.#connections.request({ ...target, signal });
          return { status: statusCode, text: await answer.text() };
        },
      ));
    } catch (cause) {
      if (!isLate || request.keepsReplica !== true) this.#leave(replica);
      throw new ServiceError({
        code: 'control_plane_unreachable',
        status: 503,
        message: 'The control plane does not answer.',
        retryable: true,
        cause,
      });
    }
    if (status < 200 || status > 299) {
      if (TRY_ANOTHER.has(status)) this.#leave(replica);
      throw new ControlPlaneRefusal(status, text);
    }
    if (text === '') return null;
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new ServiceError({
        code: 'control_plane_garbled',
        status: 502,
        message: 'The control plane answered something that is not JSON.',
        retryable: true,
        cause,
      });
    }
  }

  /** Goes on with the next replica, unless another request has done so already. */
  #leave(replica: number): void {
    if (this.replicas === 1 || this.#current !== replica) return;
    this.#current = (replica + 1) % this.replicas;
    const left = this.#left;
    this.#left = new AbortController();
    left.abort(new Error('The replica does not answer.'));
  }
}
