import type { IncomingHttpHeaders } from 'node:http';
import { SANDBOX_CALLER_ID, TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { WebSocket } from 'ws';
import { mediaStarted } from '../../../calls/testing/events.js';
import { startTestControlPlane, type TestControlPlane } from '../../../testing/control-plane.js';
import { TestEventSource } from '../../../testing/event-source.js';
import { ScriptedWorker } from '../../../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../../../testing/store.js';

export interface Owner {
  readonly key: string;
  readonly agentId: string;
  readonly tenantId: string;
}

/** A listener's end of `GET /calls/{id}/listen`. */
export interface TestListener {
  readonly socket: WebSocket;
  readonly texts: unknown[];
  readonly audio: Buffer[];
  /** Of the answer that made it a WebSocket. */
  readonly headers: () => IncomingHttpHeaders;
  readonly closing: Promise<{ readonly code: number; readonly reason: string }>;
}

/** A control plane whose calls are held by a scripted worker. */
export class LiveScene {
  private constructor(
    readonly store: TestStore,
    readonly plane: TestControlPlane,
    readonly worker: ScriptedWorker,
  ) {}

  static async start(): Promise<LiveScene> {
    const store = await startTestStore();
    const plane = await startTestControlPlane(store.uri, {
      env: {
        // Nobody listens there: calls stay queued.
        SIMULATED_CARRIER_URL: 'http://127.0.0.1:1',
        SIMULATED_CARRIER_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
        SIMULATED_CARRIER_AUTH_TOKEN: 'a token',
      },
    });
    const secret = plane.platform.config.internalSecret;
    const worker = await ScriptedWorker.start({ id: 'worker-1', secret, capacity: 1000 });
    return new LiveScene(store, plane, worker);
  }

  async close(): Promise<void> {
    await this.plane.close();
    await this.worker.close();
    await this.store.close();
  }

  async owner(tenant = `tenant ${newId()}`, sandbox = true): Promise<Owner> {
    const { key, tenantId } = await this.plane.newKey({ tenant, sandbox });
    const body = { name: 'Ann', system_prompt: 'You answer.' };
    const made = await this.plane.request('POST', '/api/v1/agents', { key, body });
    return { key, tenantId, agentId: (made.json as { id: string }).id };
  }

  /** A call that waits at the worker: a test session, for nobody must be dialed for it. */
  async placedCall({ key, agentId }: Owner): Promise<string> {
    await this.worker.heartbeat(this.plane);
    const path = `/api/v1/agents/${agentId}/test/websocket`;
    const { json } = await this.plane.request('POST', path, { key, body: {} });
    return (json as { session_id: string }).session_id;
  }

  /** A call whose media has begun. */
  async liveCall(owner: Owner): Promise<string> {
    const callId = await this.placedCall(owner);
    await this.worker.send(this.plane, this.worker.number(callId, [mediaStarted(`websocket-${callId}`)]));
    return callId;
  }

  /** A call that no worker has. */
  async queuedCall({ key, agentId }: Owner): Promise<string> {
    const body = {
      agent_id: agentId,
      from_number: SANDBOX_CALLER_ID,
      to_number: TEST_NUMBERS[0]!.number,
    };
    const { json, text } = await this.plane.request('POST', '/api/v1/calls', { key, body });
    const { id } = json as { id?: string };
    if (id === undefined) throw new Error(text);
    return id;
  }

  follow(
    key: string,
    callId: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestEventSource> {
    const url = `${this.plane.url}/api/v1/calls/${callId}/live`;
    return TestEventSource.open(url, { authorization: `Bearer ${key}`, ...headers });
  }

  /** Connects; rejects with the status of a refusal and its code. */
  listen(key: string, callId: string, query = ''): Promise<TestListener> {
    return this.open(`${this.plane.url}/api/v1/calls/${callId}/listen${query}`, {
      authorization: `Bearer ${key}`,
    });
  }

  open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<TestListener> {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    const texts: unknown[] = [];
    const audio: Buffer[] = [];
    let answered: IncomingHttpHeaders = {};
    socket.on('upgrade', (response) => {
      answered = response.headers;
    });
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) audio.push(data);
      else texts.push(JSON.parse(data.toString('utf8')));
    });
    const closing = new Promise<{ code: number; reason: string }>((resolve) =>
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
    return new Promise((resolve, reject) => {
      socket.on('unexpected-response', (_request, response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { code } = JSON.parse(Buffer.concat(chunks).toString()) as { code: string };
          reject(new Error(`${response.statusCode} ${code}`));
        });
      });
      socket.on('error', reject);
      socket.on('open', () => resolve({ socket, texts, audio, headers: () => answered, closing }));
    });
  }
}
