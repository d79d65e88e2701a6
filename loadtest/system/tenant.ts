import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  callUsage,
  lineStatistics,
  toolExecution,
  transcriptTurn,
  turnMetrics,
} from '@voice/shared/contracts/call-events';
import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { callStatus } from '@voice/shared/contracts/primitives';
import {
  SANDBOX_CALLER_ID,
  type SimulatedBehavior,
  TEST_NUMBERS,
} from '@voice/shared/contracts/test-numbers';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { z } from 'zod';

export type TranscriptTurn = z.infer<typeof transcriptTurn>;
export type CallStatus = z.infer<typeof callStatus>;

const detail = z.object({
  id: z.uuid(),
  status: callStatus,
  is_test_call: z.boolean(),
  end_reason: z.string().nullable(),
  error_code: z.string().nullable(),
  duration_ms: z.number().nullable(),
  worker_id: z.string().nullable(),
  transcript: z.array(transcriptTurn),
  tool_executions: z.array(toolExecution),
  metrics: z.object({
    turns: z.array(
      turnMetrics.extend({
        waveform_response_latency_ms: z.number().nullable(),
        waveform_barge_in_latency_ms: z.number().nullable(),
      }),
    ),
    p50: z.object({ response_latency_ms: z.number().nullable() }),
    line: lineStatistics.nullable(),
  }),
  usage: callUsage.nullable(),
  events: z.array(
    z.object({ id: z.string(), type: z.string(), at: z.string(), data: z.record(z.string(), z.unknown()) }),
  ),
});
export type CallDetail = z.infer<typeof detail>;

const progress = detail.pick({ status: true });
/** How far a call is. */
type CallProgress = z.infer<typeof progress>;

const LIVE: readonly CallStatus[] = ['QUEUED', 'RINGING', 'IN_PROGRESS'];
export const isOver = ({ status }: CallProgress): boolean => !LIVE.includes(status);

/** ms until the next look at something that was waited for so long: a fifth of it, within bounds. */
const pauseAfter = (waitedMs: number): number => Math.min(1500, Math.max(150, waitedMs / 5));

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

interface Waiting<Call> {
  readonly condition: (call: Call) => boolean;
  readonly withinMs: number;
  readonly onLook: (call: Call) => void;
  readonly everyMs: number | undefined;
}

/** A new tenant with a key (a sandbox one by default) and an agent: what a user of the API has. */
export class Tenant {
  private constructor(
    readonly apiUrl: string,
    readonly key: string,
    readonly agentId: string,
    readonly agent: Readonly<Record<string, unknown>>,
  ) {}

  static async create(
    system: { readonly apiUrl: string; readonly internalUrl: string; readonly internalSecret: string },
    agent: Readonly<Record<string, unknown>> = demoAgent,
    {
      sandbox = true,
      name = `tests ${randomUUID()}`,
    }: { readonly sandbox?: boolean; readonly name?: string } = {},
  ): Promise<Tenant> {
    const path = '/internal/keys';
    const asked = { name: 'tests', sandbox, tenant: name };
    const authorization = interPlaneAuthorization({
      secret: system.internalSecret,
      method: 'POST',
      path,
      body: JSON.stringify(asked),
      now: Date.now(),
    });
    const { json: created } = expectStatus(
      201,
      await request(`${system.internalUrl}${path}`, 'POST', { authorization }, asked),
    );
    const key = String(created.key);
    const made = expectStatus(
      201,
      await request(`${system.apiUrl}/api/v1/agents`, 'POST', { authorization: `Bearer ${key}` }, agent),
    );
    return new Tenant(system.apiUrl, key, String(made.json.id), made.json);
  }

  request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return request(
      `${this.apiUrl}${path}`,
      method,
      { authorization: `Bearer ${this.key}`, ...headers },
      body,
    );
  }

  /** Asks for a call to the simulated person; its id. */
  async dial(person: SimulatedBehavior, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const to = TEST_NUMBERS.find(({ behavior }) => behavior === person)!.number;
    const body = { agent_id: this.agentId, from_number: SANDBOX_CALLER_ID, to_number: to, ...more };
    const { json } = expectStatus(202, await this.request('POST', '/api/v1/calls', body));
    return String(json.id);
  }

  async detail(callId: string): Promise<CallDetail> {
    const { json } = expectStatus(200, await this.request('GET', `/api/v1/calls/${callId}/detail`));
    return detail.parse(json);
  }

  /**
   * Looks until the condition holds; fails with the last look. Without `everyMs` it looks the more seldom the longer it
   * has waited: a look costs a tenth of what a second of the call itself does.
   */
  until(
    callId: string,
    condition: (call: CallDetail) => boolean,
    withinMs: number,
    onLook: (call: CallDetail) => void = () => {},
    everyMs?: number,
  ): Promise<CallDetail> {
    return this.#until(() => this.detail(callId), callId, { condition, withinMs, onLook, everyMs });
  }

  /** Looks until the status is the one that is waited for, at half the cost; the call in full, read once after it. */
  async untilStatus(
    callId: string,
    condition: (call: CallProgress) => boolean,
    withinMs: number,
    onLook: (call: CallProgress) => void = () => {},
    everyMs?: number,
  ): Promise<CallDetail> {
    const look = async () =>
      progress.parse(expectStatus(200, await this.request('GET', `/api/v1/calls/${callId}`)).json);
    await this.#until(look, callId, { condition, withinMs, onLook, everyMs });
    return this.detail(callId);
  }

  async #until<Call>(look: () => Promise<Call>, callId: string, waiting: Waiting<Call>): Promise<Call> {
    const { condition, withinMs, onLook, everyMs } = waiting;
    const since = performance.now();
    for (;;) {
      const call = await look();
      onLook(call);
      if (condition(call)) return call;
      const waitedMs = performance.now() - since;
      if (waitedMs > withinMs) {
        const last = JSON.stringify(await this.detail(callId), null, 1);
        throw new Error(`not within ${withinMs} ms; the call is ${last}`);
      }
      await sleep(everyMs ?? pauseAfter(waitedMs));
    }
  }

  /** Fetches the recording's bytes from its signed address. */
  async recording(callId: string, withinMs = 60_000): Promise<{ url: string; mp3: Uint8Array }> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const answer = await this.request('GET', `/api/v1/calls/${callId}/recording`);
      if (answer.status === 200) {
        const url = String(answer.json.url);
        const response = await fetch(url);
        if (!response.ok) throw new Error(`the recording's address answers ${response.status}`);
        return { url, mp3: new Uint8Array(await response.arrayBuffer()) };
      }
      if (answer.status !== 404 || performance.now() > deadline) {
        throw new Error(`no recording: ${answer.status} ${JSON.stringify(answer.json)}`);
      }
      await sleep(200);
    }
  }
}

export function expectStatus(status: number, answer: Answer): Answer {
  if (answer.status !== status) {
    throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.json)}`);
  }
  return answer;
}

/** How often, and after how long, what only reads is asked again while the store does not answer. */
const STORE_TRIES = 5;
const STORE_PAUSE_MS = 500;

/** Asks as every client does: what only reads is asked again where the answer says so. */
async function request(...args: Parameters<typeof requestOnce>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await requestOnce(...args);
    const isAway = answer.status === 503 && answer.json.code === 'store_unavailable';
    if (!isAway || args[1] !== 'GET' || tries === STORE_TRIES) return answer;
    await sleep(STORE_PAUSE_MS);
  }
}

async function requestOnce(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text === '' ? {} : JSON.parse(text) };
}
