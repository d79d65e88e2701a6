import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@voice/shared/clock/clock';
import { callPlan } from '@voice/shared/contracts/call-plan';
import { callCommand, HEARTBEAT_INTERVAL_MS } from '@voice/shared/contracts/worker';
import { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { readBody } from '../emulators/serving/http-server.js';

const ID = 'bench-worker';
const CAPACITY = 5000;

/**
 * A worker as calls without media need it: gives places, and reports a call's end when it learns that
 * the carrier ended it. It speaks the contract between the planes and checks what it is sent against it.
 */
export class SignallingWorker {
  readonly #held = new Set<string>();
  readonly #server: Server;
  readonly #verifier: InterPlaneVerifier;
  #beat: NodeJS.Timeout | undefined;

  private constructor(
    private readonly secret: string,
    /** Its internal listener. */
    private readonly controlPlane: string,
  ) {
    this.#verifier = new InterPlaneVerifier({ secret, clock: systemClock });
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.writeHead(400).end());
    });
  }

  static async start(options: { secret: string; controlPlane: string }): Promise<SignallingWorker> {
    const worker = new SignallingWorker(options.secret, options.controlPlane);
    await new Promise<void>((resolve) => worker.#server.listen(0, '127.0.0.1', resolve));
    await worker.#heartbeat();
    worker.#beat = setInterval(() => void worker.#heartbeat().catch(() => {}), HEARTBEAT_INTERVAL_MS / 2);
    return worker;
  }

  close(): void {
    clearInterval(this.#beat);
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get #url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #heartbeat(): Promise<void> {
    await this.#post('/internal/workers/heartbeat', {
      worker_id: ID,
      control_url: this.#url,
      media_url: this.#url.replace('http', 'ws'),
      capacity: CAPACITY,
      live: 0,
      reserved: this.#held.size,
      draining: false,
      calls: [...this.#held],
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const json = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const text = await readBody(request);
    const { authorization } = request.headers;
    if (!this.#verifier.accepts({ method, path: url, authorization }, text)) {
      return void json(401, { code: 'unauthorized' });
    }
    const body: unknown = text.length === 0 ? undefined : JSON.parse(text.toString('utf8'));
    if (method === 'POST' && url === '/control/calls') {
      const { call_id: id } = callPlan.parse(body);
      this.#held.add(id);
      return void json(201, {
        call_id: id,
        worker_id: ID,
        stream_url: `${this.#url.replace('http', 'ws')}/streams/twilio`,
        stream_token: 'unused',
      });
    }
    const id = /^\/control\/calls\/([0-9a-f-]{36})/.exec(url)?.[1] ?? '';
    if (method === 'DELETE') {
      this.#held.delete(id);
      return void response.writeHead(204).end();
    }
    const { command } = callCommand.parse(body);
    if (!this.#held.has(id)) return void json(404, { code: 'call_not_found' });
    json(202, { status: 'accepted' });
    if (command.kind === 'carrier_ended' || command.kind === 'hang_up') {
      this.#held.delete(id);
      await this.#ended(id);
    }
  }

  /** Sends the call's end until it is accepted, as a worker's spool does. */
  async #ended(callId: string): Promise<void> {
    const event = {
      call_id: callId,
      seq: 1,
      at: Date.now(),
      kind: 'ended',
      end_reason: 'caller_hangup',
      duration_ms: 500,
      error_code: null,
      error_message: null,
      usage: {
        stt: { provider: 'local', model: '', audio_ms: 0 },
        llm: { provider: 'local', model: '', input_tokens: 0, output_tokens: 0 },
        tts: { provider: 'local', model: '', characters: 0 },
      },
      has_recording: false,
    };
    for (let attempt = 0; attempt < 100; attempt++) {
      const status = await this.#post('/internal/events', { worker_id: ID, events: [event] }).catch(() => 0);
      if (status >= 200 && status < 300) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #post(path: string, value: object): Promise<number> {
    const body = JSON.stringify(value);
    const response = await fetch(this.controlPlane + path, {
      method: 'POST',
      headers: {
        authorization: interPlaneAuthorization({
          secret: this.secret,
          method: 'POST',
          path,
          body,
          now: Date.now(),
        }),
        'content-type': 'application/json',
      },
      body,
    });
    await response.arrayBuffer();
    return response.status;
  }
}
