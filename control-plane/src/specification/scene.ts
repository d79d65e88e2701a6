import type { Clock } from '@voice/shared/clock/clock';
import type { CallEventBody, CallUsage } from '@voice/shared/contracts/call-events';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../loadtest/emulators/openai/server.js';
import { type StripeEmulator, startStripeEmulator } from '../../../loadtest/emulators/stripe/server.js';
import type { CallDetailResponse, CallResponse } from '../calls/record/schemas.js';
import { mediaStarted } from '../calls/testing/events.js';
import { phoneNumberModel } from '../telephony/phones/model.js';
import type { TestAnswer, TestControlPlane, TestEnvironment } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestInstallation } from '../testing/installation.js';
import type { DialedCall, ScriptedCarrier } from '../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../testing/scripted-worker.js';
import type { TestStore } from '../testing/store.js';
import { type Received, WebhookReceiver } from '../testing/webhook-receiver.js';

/** A simulated person who answers and talks. */
export const CALLEE = '+15005550006';
/** Hours that are never closed. */
export const ALWAYS_OPEN = Object.fromEntries(
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [
    day,
    { start: '00:00', end: '24:00' },
  ]),
);

/** Another. */
export const SECOND_CALLEE = '+15005550014';
/** A person whom production keys may call. */
export const REAL_CALLEE = '+14155550177';
export const ANSWERED_ANALYSIS = {
  summary: 'Grace booked Tuesday.',
  outcome: 'goal_reached',
  outcome_score: 0.9,
  sentiment: 'positive',
  scorecard: { Greeting: { score: 1, reason: 'Yes.' } },
  extracted_data: { day: 'Tuesday' },
};
/** What two minutes of talk used, of vendors that cost in production. */
export const PAID_USAGE: CallUsage = {
  stt: { provider: 'deepgram', model: 'nova-3', audio_ms: 120_000 },
  llm: { provider: 'openai', model: 'gpt-4o-mini', input_tokens: 20_000, output_tokens: 2000 },
  tts: { provider: 'elevenlabs', model: 'eleven_flash_v2_5', characters: 900 },
};

/** A tenant as the specification has it: keys of both modes, and an agent. */
export interface Tenant {
  readonly id: string;
  /** Sandbox key. */
  readonly test: string;
  /** Production key. */
  readonly live: string;
  readonly agentId: string;
}

/** The whole service as a tenant sees it; carrier, worker and language model do what the test says. */
export class Scene {
  /** Of the tenants' own, so far. */
  #numbers = 0;

  private constructor(
    readonly store: TestStore,
    readonly plane: TestControlPlane,
    readonly carrier: ScriptedCarrier,
    readonly worker: ScriptedWorker,
    readonly openai: OpenAiEmulator,
    readonly stripe: StripeEmulator,
    readonly receiver: WebhookReceiver,
    private readonly closeInstallation: () => Promise<void>,
  ) {}

  /** `env` adds to the environment of the control plane, for example real limits; `clock` is its time. */
  static async set(env: TestEnvironment = {}, clock?: Clock): Promise<Scene> {
    const openai = await startOpenAiEmulator({
      apiKeys: ['good'],
      script: [
        { forSchema: 'analysis', say: JSON.stringify(ANSWERED_ANALYSIS) },
        { whenUserSays: /./, say: 'Certainly.' },
      ],
    });
    const stripe = await startStripeEmulator({ secretKey: 'sk_test_x', prices: ['price_usage'] });
    const { store, plane, carrier, worker, close } = await startTestInstallation({
      capacity: 100,
      production: true,
      clock,
      env: {
        EGRESS_ALLOW: '127.0.0.0/8',
        OPENAI_API_KEY: 'good',
        OPENAI_BASE_URL: openai.baseUrl,
        BILLING: 'off',
        STRIPE_SECRET_KEY: 'sk_test_x',
        STRIPE_API_URL: stripe.url,
        STRIPE_WEBHOOK_SECRET: 'whsec_x',
        STRIPE_PRICE_ID: 'price_usage',
        ...env,
      },
    });
    worker.webrtc = { available: true };
    await worker.heartbeat(plane);
    return new Scene(store, plane, carrier, worker, openai, stripe, await WebhookReceiver.start(), close);
  }

  async close(): Promise<void> {
    await this.closeInstallation();
    await Promise.all([this.receiver, this.openai, this.stripe].map((part) => part.close()));
  }

  async newTenant(agent: object = {}): Promise<Tenant> {
    const name = `tenant ${newId()}`;
    const { key: test, tenantId: id } = await this.plane.newKey({ tenant: name });
    const { key: live } = await this.plane.newKey({ sandbox: false, tenant: name });
    const agentId = await this.made(test, '/api/v1/agents', {
      name: 'Ann',
      system_prompt: 'Book an appointment.',
      voice_config: { stt: { provider: 'local' }, llm: { provider: 'openai' }, tts: { provider: 'local' } },
      ...agent,
    });
    return { id, test, live, agentId };
  }

  ask(
    key: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<TestAnswer> {
    return this.plane.request(method, path, { ...(key === undefined ? {} : { key }), body, headers });
  }

  /** The body of an answer that must be a success. */
  async json<T = Record<string, unknown>>(
    key: string | undefined,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<T> {
    const answer = await this.ask(key, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json as T;
  }

  /** The id of what was made. */
  async made(key: string, path: string, body: unknown): Promise<string> {
    return (await this.json<{ id: string }>(key, 'POST', path, body)).id;
  }

  /** Status and stable code of a refusal. */
  async refusal(
    key: string | undefined,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<[number, string]> {
    const { status, json } = await this.ask(key, method, path, body);
    return [status, (json as { code: string }).code];
  }

  outbound(tenant: Tenant, more: object = {}) {
    return { agent_id: tenant.agentId, from_number: SANDBOX_CALLER_ID, to_number: CALLEE, ...more };
  }

  /** A sandbox call that the carrier was asked to dial. */
  async dialed(tenant: Tenant, more: object = {}): Promise<{ id: string; line: DialedCall }> {
    const id = await this.made(tenant.test, '/api/v1/calls', this.outbound(tenant, more));
    const line = (await eventually(() => this.carrier.callOf(id)))!;
    await eventually(async () => (await this.call(tenant, id)).carrier_call_id);
    return { id, line };
  }

  /** A sandbox call in progress. */
  async answered(tenant: Tenant, more: object = {}): Promise<{ id: string; line: DialedCall }> {
    const call = await this.dialed(tenant, more);
    await this.carrier.report(call.line, 'ringing');
    await this.report(call.id, mediaStarted(call.line.sid));
    return call;
  }

  /** A production call that the carrier was asked to dial, from a number of the tenant's own. */
  async dialedLive(tenant: Tenant, more: object = {}): Promise<{ id: string; line: DialedCall }> {
    const from_number = `+1415556${String(1000 + this.#numbers++)}`;
    await this.number(tenant, from_number);
    const body = this.outbound(tenant, { from_number, to_number: REAL_CALLEE, ...more });
    const id = await this.made(tenant.live, '/api/v1/calls', body);
    const line = (await eventually(() => this.carrier.callOf(id)))!;
    await eventually(
      () => this.json<CallResponse>(tenant.live, 'GET', `/api/v1/calls/${id}`),
      ({ carrier_call_id }) => carrier_call_id !== null,
    );
    return { id, line };
  }

  /** A production call in progress; its agent must have hours that are open. */
  async answeredLive(tenant: Tenant, more: object = {}): Promise<{ id: string; line: DialedCall }> {
    const call = await this.dialedLive(tenant, more);
    await this.carrier.report(call.line, 'in-progress');
    await this.report(call.id, mediaStarted(call.line.sid));
    return call;
  }

  /** Sends what the worker reports of a call. */
  async report(id: string, ...events: CallEventBody[]): Promise<void> {
    const { status, text } = await this.worker.send(this.plane, this.worker.number(id, events));
    if (status >= 300) throw new Error(`the worker's events: ${status} ${text}`);
  }

  /** The worker's recording of a call. */
  async upload(id: string): Promise<void> {
    const path = `/internal/calls/${id}/recording`;
    const { status } = await this.plane.upload(path, new Uint8Array(1000), { 'x-duration-ms': '3900' });
    if (status >= 300) throw new Error(`upload: ${status}`);
  }

  call(tenant: Tenant, id: string): Promise<CallResponse> {
    return this.json<CallResponse>(tenant.test, 'GET', `/api/v1/calls/${id}`);
  }

  detail(tenant: Tenant, id: string): Promise<CallDetailResponse> {
    return this.json<CallDetailResponse>(tenant.test, 'GET', `/api/v1/calls/${id}/detail`);
  }

  untilStatus(tenant: Tenant, id: string, status: string): Promise<CallResponse> {
    return eventually(
      () => this.call(tenant, id),
      (call) => call.status === status,
    );
  }

  /** A number of the tenant, as verification and carrier have left it; its id. */
  async number(
    tenant: Tenant,
    number: string,
    state: { verified?: boolean; attestation?: 'A' | 'B' | 'C'; agentId?: string; sandbox?: boolean } = {},
  ): Promise<string> {
    const _id = newId();
    const sandbox = state.sandbox ?? false;
    await phoneNumberModel(await this.store.connect()).create({
      _id,
      tenant_id: tenant.id,
      number,
      claim: number,
      provider: sandbox ? 'simulated' : 'twilio',
      agent_id: state.agentId ?? null,
      caller_id_verified_at: (state.verified ?? true) ? new Date() : null,
      attestation: state.attestation ?? 'A',
      created_at: new Date(),
      source: 'purchased',
      state: 'active',
      moved_at: new Date(),
      sandbox,
      carrier_number_id: `PN${'0'.repeat(32)}`,
    });
    return _id;
  }

  /** The tenant's events of a type, as its receiver got them; waits for `count` of them. */
  heard(tenant: Tenant, type: string, count = 1): Promise<readonly Received[]> {
    return eventually(
      () =>
        this.receiver.received.filter(
          ({ event }) => event.tenant_id === tenant.id && event.event_type === type,
        ),
      (found) => found.length >= count,
    );
  }
}
