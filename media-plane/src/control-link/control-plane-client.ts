import type { Clock } from '@voice/shared/clock/clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';

export interface ControlPlaneRequest {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly timeoutMs: number;
}

/** Speaks to the control plane: every request carries a fresh token bound to it, and has a time-out. */
export class ControlPlaneClient {
  readonly #baseUrl: string;
  readonly #secret: string;
  readonly #clock: Clock;

  constructor(options: { baseUrl: string; secret: string; clock: Clock }) {
    this.#baseUrl = options.baseUrl;
    this.#secret = options.secret;
    this.#clock = options.clock;
  }

  /**
   * Resolves with the parsed JSON body (null when there is none) of a 2xx answer. Throws a `ServiceError`
   * otherwise: retryable when the control plane is away or failing, final when it refuses the request.
   */
  async send(request: ControlPlaneRequest): Promise<unknown> {
    const { method, path, timeoutMs } = request;
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#baseUrl + path, {
        method,
        body: request.body,
        headers: {
          ...request.headers,
          'content-type': request.contentType,
          authorization: interPlaneAuthorization({
            secret: this.#secret,
            method,
            path,
            now: this.#clock.now(),
          }),
        },
        signal: AbortSignal.timeout(timeoutMs),
      });
      text = await response.text();
    } catch (cause) {
      throw new ServiceError({
        code: 'control_plane_unreachable',
        status: 503,
        message: 'The control plane does not answer.',
        retryable: true,
        cause,
      });
    }
    if (!response.ok) {
      throw new ServiceError({
        code: 'control_plane_refused',
        status: response.status,
        message: `The control plane answered ${response.status}.`,
        retryable: response.status >= 500 || response.status === 429 || response.status === 408,
        cause: text.slice(0, 500),
      });
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
}
