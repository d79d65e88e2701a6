import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallEvent, CallEventBody, CallUsage } from '@voice/shared/contracts/call-events';
import { type CallPlan, callPlan } from '@voice/shared/contracts/call-plan';
import { type WebRtcAnswer, type WebRtcOffer, webRtcOffer } from '@voice/shared/contracts/webrtc';
import { type CallCommand, callCommand, type Heartbeat } from '@voice/shared/contracts/worker';
import { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import type { Connection } from 'mongoose';
import type { TestAnswer, TestControlPlane } from './control-plane.js';
import { KEEP_ALIVE_MS } from './keep-alive.js';
import { ScriptedLiveStreams } from './scripted-live-streams.js';

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** When a scripted worker is said to have reported last: later than any time that a test's clock shows. */
const NEVER_SILENT = new Date(Date.UTC(2200, 0, 1));

/**
 * A media worker that does what the test says, over real HTTP and as strict as the real one: it wants the
 * inter-plane token and a whole call plan, and gives a call one place, however often it is asked.
 */
export class ScriptedWorker {
  readonly plans: CallPlan[] = [];
  readonly givenBack: string[] = [];
  readonly commands: { readonly callId: string; readonly command: CallCommand }[] = [];
  /** Calls that it holds. */
  readonly held = new Set<string>();
  /** Calls that it holds and that are over: it has said so, and carries no command of theirs out any more. */
  readonly over = new Set<string>();
  /** What it answers when asked for a place. */
  mode: 'reserves' | 'full' | 'breaks' | 'refuses' = 'reserves';
  /** What it says that preparing a call has used, when a place is given back. */
  used: CallUsage | undefined;
  /** Whether it takes WebRTC sessions, as its heartbeats say. */
  webrtc: Heartbeat['webrtc'];
  /** What it does with an offer for a call that it holds. */
  onOffer: 'answers' | 'is silent' | 'breaks' | 'is not ready' | 'has a connection' = 'answers';
  readonly offers: { readonly callId: string; readonly offer: WebRtcOffer }[] = [];
  readonly refused: string[] = [];
  /** What follows its calls and listens to them. */
  readonly live: ScriptedLiveStreams;
  readonly #seq = new Map<string, number>();
  readonly #verifier: InterPlaneVerifier;
  readonly #server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    this.#serve(request, response).catch((error: unknown) => {
      this.refused.push(String(error));
      response.writeHead(400).end();
    });
  });

  private constructor(
    readonly id: string,
    readonly capacity: number,
    secret: string,
    now: () => number,
  ) {
    this.#verifier = new InterPlaneVerifier({ secret, clock: { now } });
    this.live = new ScriptedLiveStreams({
      verifier: this.#verifier,
      holds: (callId) => this.held.has(callId),
    });
    this.#server.on('upgrade', (request, socket, head) => this.live.upgrade(request, socket, head));
  }

  /** `now` is the time by which it judges tokens, in epoch ms, where that is not the machine's. */
  static async start(options: {
    id: string;
    secret: string;
    capacity?: number;
    now?: () => number;
  }): Promise<ScriptedWorker> {
    const { id, secret, capacity = 10, now = Date.now } = options;
    const worker = new ScriptedWorker(id, capacity, secret, now);
    await new Promise<void>((resolve) => worker.#server.listen(0, '127.0.0.1', resolve));
    return worker;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /**
   * Reports once, and counts as reporting from then on: on a busy machine a test takes longer than a worker may be
   * silent, and a timer of the test's process is as late as the test. `store` is that of a control plane in a process
   * of its own. A test of what becomes of silent workers reports without this.
   */
  async heartbeat(
    plane: TestControlPlane,
    changes: { draining?: boolean; calls?: string[]; spooled_calls?: string[] } = {},
    store: Connection | undefined = plane.platform?.store,
  ): Promise<{ ended_calls: string[] }> {
    const calls = changes.calls ?? [...this.held];
    const answer = await plane.internal('POST', '/internal/workers/heartbeat', {
      worker_id: this.id,
      control_url: this.url,
      media_url: this.url.replace('http', 'ws'),
      capacity: this.capacity,
      live: 0,
      reserved: calls.length,
      draining: changes.draining ?? false,
      calls,
      ...(changes.spooled_calls ? { spooled_calls: changes.spooled_calls } : {}),
      ...(this.webrtc ? { webrtc: this.webrtc } : {}),
    });
    if (answer.status !== 200) throw new Error(`heartbeat: ${answer.status} ${answer.text}`);
    if (store) {
      const workers = store.collection<{ _id: string }>('workers');
      await workers.updateOne({ _id: this.id }, { $set: { last_seen_at: NEVER_SILENT } });
    }
    return answer.json as { ended_calls: string[] };
  }

  /** The next events of a call, numbered and stamped. */
  number(callId: string, bodies: readonly CallEventBody[], at = Date.now()): CallEvent[] {
    return bodies.map((body) => {
      const seq = (this.#seq.get(callId) ?? 0) + 1;
      this.#seq.set(callId, seq);
      return { call_id: callId, seq, at, ...body } as CallEvent;
    });
  }

  send(plane: TestControlPlane, events: readonly object[]): Promise<TestAnswer> {
    return plane.internal('POST', '/internal/events', { worker_id: this.id, events });
  }

  async close(): Promise<void> {
    this.live.close();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const body = await bodyOf(request);
    const { authorization } = request.headers;
    const authorized = this.#verifier.accepts({ method, path: url, authorization }, body);
    const json = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (!authorized) {
      this.refused.push(`${method} ${url}: no token`);
      json(401, { code: 'unauthorized' });
      return;
    }
    if (method === 'GET' && url === '/control/calls') {
      json(200, { worker_id: this.id, calls: [...this.held] });
      return;
    }
    if (method === 'POST' && url === '/control/calls') {
      const plan = callPlan.parse(JSON.parse(body));
      if (this.mode === 'breaks') {
        request.socket.destroy();
        return;
      }
      const isKnown = this.held.has(plan.call_id);
      if (this.mode === 'full' || (!isKnown && this.held.size >= this.capacity)) {
        json(503, { code: 'workers_at_capacity' });
        return;
      }
      if (this.mode === 'refuses') {
        json(422, { code: 'pipeline_not_supported', detail: 'This worker cannot run this.' });
        return;
      }
      this.held.add(plan.call_id);
      if (!isKnown) this.plans.push(plan);
      json(201, {
        call_id: plan.call_id,
        worker_id: this.id,
        stream_url: `${this.url.replace('http', 'ws')}/streams/twilio`,
        stream_token: `token-${plan.call_id}`,
      });
      return;
    }
    const offered = /^\/control\/calls\/([0-9a-f-]{36})\/webrtc$/.exec(url)?.[1];
    if (method === 'POST' && offered) {
      this.#answerOffer(offered, body, request, json);
      return;
    }
    const call = /^\/control\/calls\/([0-9a-f-]{36})(\/commands)?$/.exec(url);
    if (method === 'DELETE' && call && !call[2]) {
      if (this.held.delete(call[1]!)) this.givenBack.push(call[1]!);
      if (this.used) json(200, { usage: this.used });
      else response.writeHead(204).end();
      return;
    }
    if (method === 'POST' && call?.[2]) {
      const command = callCommand.parse(JSON.parse(body));
      if (!this.held.has(call[1]!)) {
        json(404, { code: 'call_not_found' });
        return;
      }
      this.commands.push({ callId: call[1]!, command });
      json(202, { status: this.over.has(call[1]!) ? 'already_ended' : 'accepted' });
      return;
    }
    this.refused.push(`${method} ${url}: no such route`);
    json(404, { code: 'not_found' });
  }

  /** Held against the contract, and against what every session description begins with. */
  #answerOffer(
    callId: string,
    body: string,
    request: IncomingMessage,
    json: (status: number, value: object) => void,
  ): void {
    const offer = webRtcOffer.parse(JSON.parse(body));
    if (!this.held.has(callId)) {
      json(404, { code: 'call_not_found', detail: 'This worker does not hold this call.' });
      return;
    }
    this.offers.push({ callId, offer });
    switch (this.onOffer) {
      case 'is silent':
        return;
      case 'breaks':
        request.socket.destroy();
        return;
      case 'is not ready':
        json(503, { code: 'webrtc_not_available', detail: 'mediasoup is being started again.' });
        return;
      case 'has a connection':
        json(409, { code: 'webrtc_already_connected', detail: 'Send its pc_id, or restart_pc.' });
        return;
      case 'answers':
    }
    if (!offer.sdp.includes('opus/48000/2')) {
      json(422, { code: 'sdp_not_supported', detail: 'The offer has no audio section with Opus.' });
      return;
    }
    const answer: WebRtcAnswer & { extra: string } = {
      sdp: `v=0\r\na=answer to ${offer.sdp.length} characters\r\n`,
      type: 'answer',
      pc_id: offer.pc_id ?? `pc-${callId}`,
      extra: 'as the worker gave it',
    };
    json(200, answer);
  }
}
