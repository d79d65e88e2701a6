import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@voice/shared/clock/clock';
import { type CallEvent, eventBatch } from '@voice/shared/contracts/call-events';
import { type CallPlan, type Reservation, reservation } from '@voice/shared/contracts/call-plan';
import { type WebRtcAnswer, type WebRtcOffer, webRtcAnswer } from '@voice/shared/contracts/webrtc';
import { heartbeat } from '@voice/shared/contracts/worker';
import { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { readBody } from '../emulators/serving/http-server.js';

/** The control plane's half of the inter-plane contract, and nothing else: takes events, reserves places. */
export class BenchControlPlane {
  readonly secret = randomBytes(32).toString('hex');
  readonly #verifier = new InterPlaneVerifier({ secret: this.secret, clock: systemClock });
  readonly events: CallEvent[] = [];
  #server: Server | undefined;
  #beats = 0;

  async start(): Promise<string> {
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(
        ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    const server = this.#server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Resolves once the worker has reported itself. */
  async workerReported(): Promise<void> {
    while (this.#beats === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Reserves a place for the call. */
  async reserve(workerUrl: string, plan: CallPlan): Promise<Reservation> {
    return reservation.parse(await this.#post(workerUrl, '/control/calls', plan));
  }

  /** Hands a caller's WebRTC offer to the worker. */
  async offer(workerUrl: string, callId: string, offer: WebRtcOffer): Promise<WebRtcAnswer> {
    return webRtcAnswer.parse(await this.#post(workerUrl, `/control/calls/${callId}/webrtc`, offer));
  }

  close(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  async #post(workerUrl: string, path: string, value: unknown): Promise<unknown> {
    const method = 'POST';
    const body = JSON.stringify(value);
    const response = await fetch(`${workerUrl}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: interPlaneAuthorization({ secret: this.secret, method, path, body, now: Date.now() }),
      },
      body,
    });
    if (!response.ok) throw new Error(`the worker answers ${response.status}: ${await response.text()}`);
    return await response.json();
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: string }> {
    const path = request.url ?? '';
    const { authorization } = request.headers;
    const method = request.method ?? '';
    const content = await readBody(request);
    if (!this.#verifier.accepts({ method, path, authorization }, content)) {
      return { status: 401, body: '{}' };
    }
    if (path === '/internal/workers/heartbeat') {
      heartbeat.parse(JSON.parse(content.toString()));
      this.#beats += 1;
      return { status: 200, body: JSON.stringify({ interval_ms: 2000, ended_calls: [] }) };
    }
    if (path === '/internal/events') {
      const { events } = eventBatch.parse(JSON.parse(content.toString()));
      this.events.push(...events);
      const accepted = events.map(({ call_id, seq }) => ({ call_id, seq }));
      return { status: 200, body: JSON.stringify({ accepted, rejected: [] }) };
    }
    // Recordings and decision logs are taken and forgotten.
    if (method === 'PUT') return { status: 200, body: '{}' };
    return { status: 404, body: '{}' };
  }
}
