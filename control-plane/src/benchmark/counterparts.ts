import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@voice/shared/clock/clock';
import { callPlan } from '@voice/shared/contracts/call-plan';
import { HEARTBEAT_INTERVAL_MS } from '@voice/shared/contracts/worker';
import { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';

/** More than any run takes: what is measured is the API, not the lack of places. */
const CAPACITY = 1_000_000;

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The worker and the carrier that calls are dispatched to: both take everything at once, so that the cost
 * of dispatching is part of what is measured, and nothing waits for it.
 */
export class Counterparts {
  readonly #secret: string;
  readonly #server: Server;
  readonly #held = new Set<string>();
  readonly #verifier: InterPlaneVerifier;
  #beat: NodeJS.Timeout | undefined;
  /** Calls that the carrier was asked to dial. */
  dialed = 0;

  constructor(secret: string) {
    this.#secret = secret;
    this.#verifier = new InterPlaneVerifier({ secret, clock: systemClock });
    this.#server = createServer((request, response) => {
      const json = (status: number, value: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      void this.#answer(request).then(
        ({ status, body }) => json(status, body),
        (error: unknown) => json(400, { message: String(error) }),
      );
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Reports as a worker, now and from now on. */
  async report(internalUrl: string): Promise<void> {
    const path = '/internal/workers/heartbeat';
    const beat = async () => {
      const body = JSON.stringify({
        worker_id: 'benchmark',
        control_url: this.url,
        media_url: this.url.replace('http', 'ws'),
        capacity: CAPACITY,
        live: 0,
        reserved: this.#held.size,
        draining: false,
        calls: [...this.#held],
      });
      const authorization = interPlaneAuthorization({
        secret: this.#secret,
        method: 'POST',
        path,
        body,
        now: Date.now(),
      });
      const answer = await fetch(internalUrl + path, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body,
      });
      if (!answer.ok) throw new Error(`heartbeat: ${answer.status}`);
    };
    await beat();
    this.#beat = setInterval(() => void beat().catch(() => {}), HEARTBEAT_INTERVAL_MS);
  }

  /** The worker's calls are over, as far as it knows. */
  forget(): void {
    this.#held.clear();
  }

  close(): void {
    clearInterval(this.#beat);
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const { method = '', url: path = '' } = request;
    const body = await textOf(request);
    if (path === '/control/calls') {
      const { authorization } = request.headers;
      if (!this.#verifier.accepts({ method, path, authorization }, body)) return { status: 401, body: {} };
      const { call_id } = callPlan.parse(JSON.parse(body));
      this.#held.add(call_id);
      return {
        status: 201,
        body: {
          call_id,
          worker_id: 'benchmark',
          stream_url: `${this.url.replace('http', 'ws')}/streams/twilio`,
          stream_token: `token-${call_id}`,
        },
      };
    }
    if (path.startsWith('/control/calls/')) return { status: 200, body: {} };
    this.dialed += 1;
    return {
      status: 201,
      body: { sid: `CA${this.dialed.toString(16).padStart(32, '0')}`, status: 'queued' },
    };
  }
}
