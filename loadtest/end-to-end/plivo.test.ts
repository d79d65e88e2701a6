import { setTimeout as sleep } from 'node:timers/promises';
import { L16_16K } from '@voice/shared/audio/format';
import type { SimulatedBehavior } from '@voice/shared/contracts/test-numbers';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { type DeepgramEmulator, startDeepgramEmulator } from '../emulators/deepgram/server.js';
import type { PlivoCall } from '../emulators/plivo/emulated-call.js';
import { type PlivoEmulator, startPlivoEmulator } from '../emulators/plivo/server.js';
import { startTelnyxEmulator, type TelnyxEmulator } from '../emulators/telnyx/server.js';
import { type CallDetail, type CallStatus, expectStatus, isOver, Tenant } from '../system/tenant.js';
import { QUICK_PEOPLE, quickAgent } from './harness/quick-agent.js';
import { decodeRecording, expectTurnsRecorded } from './harness/recording.js';
import { SeparateSystem } from './harness/separate-system.js';
import { telnyxPeople } from './harness/telnyx-people.js';

/** New York: one party's consent is enough to record. */
const NUMBERS = {
  '+16465550180': 'talks',
  '+16465550182': 'busy',
  '+16465550183': 'stays_silent',
} as const satisfies Readonly<Record<string, SimulatedBehavior>>;
const [TALKS, BUSY, SILENT] = Object.keys(NUMBERS) as [string, string, string];
const ACCOUNT = { authId: 'MAENDTOEND', authToken: 'plivo-token', appId: '7' };
/** Its codec is one for all calls of an installation: here it is what no other of these tests speaks. */
const TELNYX = { apiKey: 'telnyx-key', connectionId: '42', codec: 'L16' };
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const CALL_WITHIN_MS = 220_000;

let plivo: PlivoEmulator;
let telnyx: TelnyxEmulator;
let deepgram: DeepgramEmulator;
let system: SeparateSystem;
let tenant: Tenant;
let own: string;
/** They run side by side. */
let talkOut: Promise<Followed>;
let talkIn: Promise<Followed>;
let overTelnyx: Promise<CallDetail>;

interface Followed {
  readonly call: CallDetail;
  readonly seen: readonly CallStatus[];
  readonly line: PlivoCall;
}

beforeAll(async () => {
  const people = await telnyxPeople(NUMBERS, QUICK_PEOPLE);
  plivo = await startPlivoEmulator({ ...ACCOUNT, phones: people.phones });
  telnyx = await startTelnyxEmulator({ ...TELNYX, phones: people.phones });
  deepgram = await startDeepgramEmulator({ phrasebook: people.phrasebook, apiKeys: ['dg-key'] });
  system = await SeparateSystem.start({
    PLIVO_API_URL: plivo.url,
    PLIVO_AUTH_ID: ACCOUNT.authId,
    PLIVO_AUTH_TOKEN: ACCOUNT.authToken,
    PLIVO_APP_ID: ACCOUNT.appId,
    TELNYX_API_URL: telnyx.url,
    TELNYX_API_KEY: TELNYX.apiKey,
    TELNYX_CONNECTION_ID: TELNYX.connectionId,
    TELNYX_PUBLIC_KEY: telnyx.publicKey,
    TELNYX_CODEC: TELNYX.codec,
    DEEPGRAM_API_KEY: 'dg-key',
    DEEPGRAM_URL: `ws://127.0.0.1:${deepgram.port}`,
  });
  const base = `${system.apiUrl}/internal/carriers/plivo`;
  plivo.calls.application = { answerUrl: `${base}/inbound`, hangupUrl: `${base}/status` };
  telnyx.webhooks.url = `${system.apiUrl}/internal/carriers/telnyx/events`;
  const agent = {
    ...quickAgent,
    voice_config: { ...quickAgent.voice_config, stt: { provider: 'deepgram', model: 'nova-3' } },
    calling_hours: Object.fromEntries(DAYS.map((day) => [day, { start: '00:00', end: '24:00' }])),
  };
  tenant = await Tenant.create(system, agent, { sandbox: false });
  own = await buy('plivo', tenant.agentId);
  const first = dial(TALKS);
  talkOut = first.then(follow);
  // Once the first is under way: the voice takes a moment to start.
  talkIn = first
    .then((id) => tenant.until(id, ({ transcript }) => transcript.length > 0, 120_000))
    .then(() => callIn(TALKS))
    .then(follow);
  overTelnyx = first
    .then(() => buy('telnyx', tenant.agentId))
    .then((number) => dial(TALKS, number))
    .then((id) => tenant.untilStatus(id, isOver, CALL_WITHIN_MS));
  for (const call of [talkOut, talkIn, overTelnyx]) call.catch(() => {});
});
afterAll(async () => {
  await system?.stop();
  await plivo?.close();
  await telnyx?.close();
  await deepgram?.close();
});

async function buy(provider: 'plivo' | 'telnyx', agentId: string): Promise<string> {
  const path = `/api/v1/phones/available?provider=${provider}&area_code=646&limit=2`;
  const offers = expectStatus(200, await tenant.request('GET', path)).json as unknown as [
    { phone_number: string },
    { phone_number: string },
  ];
  // The emulators offer the same numbers, and each is one carrier's.
  const offer = provider === 'plivo' ? offers[0] : offers[1];
  const wanted = { phone_number: offer.phone_number, provider };
  const { id } = expectStatus(201, await tenant.request('POST', '/api/v1/phones', wanted)).json;
  expectStatus(200, await tenant.request('PATCH', `/api/v1/phones/${id}`, { agent_id: agentId }));
  return offer.phone_number;
}

async function dial(to: string, from = own): Promise<string> {
  const body = { agent_id: tenant.agentId, from_number: from, to_number: to };
  return String(expectStatus(202, await tenant.request('POST', '/api/v1/calls', body)).json.id);
}

/** The person calls our number; resolves when the call is in the tenant's list. */
async function callIn(from: string): Promise<string> {
  const line = plivo.calls.callIn(from, own);
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; await sleep(100)) {
    const { json } = await tenant.request('GET', '/api/v1/calls?direction=inbound');
    const { calls } = json as { calls: { id: string; carrier_call_id: string }[] };
    const found = calls.find(({ carrier_call_id }) => carrier_call_id === line.id);
    if (found) return found.id;
  }
  throw new Error('the call never came');
}

async function follow(id: string): Promise<Followed> {
  const seen: CallStatus[] = [];
  const call = await tenant.untilStatus(id, isOver, CALL_WITHIN_MS, ({ status }) => {
    if (seen.at(-1) !== status) seen.push(status);
  });
  return { call, seen, line: await lineOf(id) };
}

async function lineOf(callId: string): Promise<PlivoCall> {
  const { json } = await tenant.request('GET', `/api/v1/calls/${callId}`);
  return plivo.calls.all.find(({ id }) => id === json.carrier_call_id)!;
}

const explain = (call?: CallDetail) =>
  onTestFailed(() =>
    console.error(
      system.tail(60),
      JSON.stringify([call, plivo.calls.invalid, plivo.calls.callbacks.slice(-12)], null, 1),
    ),
  );

describe('a production call over Plivo', () => {
  it('to somebody who is busy ends as BUSY', async () => {
    const { call } = await follow(await dial(BUSY));
    explain(call);
    expect(call).toMatchObject({ status: 'BUSY', end_reason: 'busy' });
  });

  it('is hung up by the operator', async () => {
    const id = await dial(SILENT);
    explain();
    await tenant.until(id, ({ transcript }) => transcript.length > 0, 90_000);
    expectStatus(202, await tenant.request('POST', `/api/v1/calls/${id}/hangup`, {}));
    const { call, line } = await follow(id);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'operator_hangup' });
    expect(line.state).toBe('ended');
  });

  it('is brought to somebody else, whom the caller then talks to', async () => {
    const id = await dial(SILENT);
    explain();
    await tenant.until(id, ({ transcript }) => transcript.length > 0, 90_000);
    expectStatus(200, await tenant.request('POST', `/api/v1/calls/${id}/transfer`, { destination: TALKS }));
    const { call } = await follow(id);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'transferred' });
    expect(plivo.calls.invalid).toEqual([]);
  });

  it.each([
    ['our side calls', () => talkOut, 'outbound'],
    ['they call', () => talkIn, 'inbound'],
  ] as const)('holds a conversation: %s', async (_, started, direction) => {
    const { call, seen, line } = await started();
    explain(call);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'agent_hangup' });
    expect(line.direction).toBe(direction);
    expect(seen).toContain('IN_PROGRESS');
    const said = (role: string) => call.transcript.filter((turn) => turn.role === role).length;
    expect(said('agent')).toBeGreaterThan(2);
    expect(said('caller')).toBeGreaterThan(2);
    expect(line.stream?.errors).toEqual([]);
    expect(line.stream?.checkpoints.length).toBeGreaterThan(0);
    expect(plivo.calls.invalid).toEqual([]);
  });
});

describe('a call over Telnyx in L16, on an installation with both', () => {
  it('is understood on both sides to the goodbye, and recorded', async () => {
    const call = await overTelnyx;
    explain(call);
    const line = telnyx.calls.all.find(({ to }) => to === TALKS)!;
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'agent_hangup' });
    expect(line.stream).toMatchObject({ sends: L16_16K, takes: L16_16K, errors: [] });
    const caller = call.transcript.filter(({ role }) => role === 'caller').map(({ text }) => text);
    expect(caller.length).toBeGreaterThanOrEqual(3);
    expect(caller.join(' ').toLowerCase()).toContain('goodbye');
    const recording = await decodeRecording((await tenant.recording(call.id)).mp3);
    expectTurnsRecorded(recording, call.transcript);
  });
});
