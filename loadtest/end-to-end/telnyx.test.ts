import { setTimeout as sleep } from 'node:timers/promises';
import { PCMA_8K } from '@voice/shared/audio/format';
import { demoAgent } from '@voice/shared/contracts/demo-agent';
import type { SimulatedBehavior } from '@voice/shared/contracts/test-numbers';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { type DeepgramEmulator, startDeepgramEmulator } from '../emulators/deepgram/server.js';
import { type S3Emulator, startS3Emulator } from '../emulators/s3/server.js';
import type { EmulatedCall } from '../emulators/telnyx/emulated-call.js';
import { startTelnyxEmulator, type TelnyxEmulator } from '../emulators/telnyx/server.js';
import { type CallDetail, type CallStatus, expectStatus, isOver, Tenant } from '../system/tenant.js';
import { decodeRecording, expectTurnsRecorded } from './harness/recording.js';
import { SeparateSystem } from './harness/separate-system.js';
import { telnyxPeople } from './harness/telnyx-people.js';

/** New York: one party's consent is enough to record. */
const NUMBERS = {
  '+16465550180': 'talks',
  '+16465550181': 'hangs_up',
  '+16465550182': 'busy',
  '+16465550183': 'stays_silent',
  '+16465550184': 'voicemail',
} as const satisfies Readonly<Record<string, SimulatedBehavior>>;
type Reachable = (typeof NUMBERS)[keyof typeof NUMBERS];
const numberOf = (person: Reachable): string =>
  Object.entries(NUMBERS).find(([, behavior]) => behavior === person)![0];

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const ACCOUNT = { apiKey: 'telnyx-key', connectionId: '42' };
const CALL_WITHIN_MS = 220_000;
const MESSAGE = 'This is Ada from Bright Smile Dental. Please call us back. Goodbye.';

let telnyx: TelnyxEmulator;
let deepgram: DeepgramEmulator;
let s3: S3Emulator;
let system: SeparateSystem;
let tenant: Tenant;
/** Numbers bought from Telnyx: the agent answers the first. */
let own: string;
let unassigned: string;

interface Followed {
  readonly call: CallDetail;
  readonly seen: readonly CallStatus[];
  readonly line: EmulatedCall;
}
let agent: Readonly<Record<string, unknown>>;
/** They run beside the other tests. */
let talkOut: Promise<Followed>;
let talkIn: Promise<Followed>;
let message: Promise<Followed>;

beforeAll(async () => {
  const people = await telnyxPeople(NUMBERS);
  telnyx = await startTelnyxEmulator({ ...ACCOUNT, phones: people.phones });
  deepgram = await startDeepgramEmulator({ phrasebook: people.phrasebook, apiKeys: ['dg-key'] });
  s3 = await startS3Emulator();
  system = await SeparateSystem.start({
    TELNYX_API_URL: telnyx.url,
    TELNYX_API_KEY: ACCOUNT.apiKey,
    TELNYX_CONNECTION_ID: ACCOUNT.connectionId,
    TELNYX_PUBLIC_KEY: telnyx.publicKey,
    // The others are spoken by lines-and-pipelines.test.ts (mu-law) and plivo.test.ts (L16).
    TELNYX_CODEC: 'PCMA',
    DEEPGRAM_API_KEY: 'dg-key',
    DEEPGRAM_URL: `ws://127.0.0.1:${deepgram.port}`,
    S3_BUCKET: s3.bucket,
    S3_REGION: s3.region,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_ENDPOINT: s3.url,
  });
  telnyx.webhooks.url = `${system.apiUrl}/internal/carriers/telnyx/events`;
  agent = {
    ...demoAgent,
    voice_config: { ...demoAgent.voice_config, stt: { provider: 'deepgram', model: 'nova-3' } },
    calling_hours: Object.fromEntries(DAYS.map((day) => [day, { start: '00:00', end: '24:00' }])),
  };
  tenant = await Tenant.create(system, agent, { sandbox: false });
  own = await buy(tenant.agentId);
  unassigned = await buy(null);
  talkOut = dial('talks').then(follow);
  talkIn = callIn('talks', own).then(follow);
  message = leaveMessage().then(follow);
  for (const call of [talkOut, talkIn, message]) call.catch(() => {});
});
afterAll(async () => {
  await system?.stop();
  await telnyx?.close();
  await deepgram?.close();
  await s3?.close();
});

async function buy(agentId: string | null): Promise<string> {
  const path = '/api/v1/phones/available?provider=telnyx&area_code=646&limit=1';
  const [offer] = expectStatus(200, await tenant.request('GET', path)).json as unknown as [
    { phone_number: string },
  ];
  const wanted = { phone_number: offer.phone_number, provider: 'telnyx' };
  const { id } = expectStatus(201, await tenant.request('POST', '/api/v1/phones', wanted)).json;
  if (agentId) {
    expectStatus(200, await tenant.request('PATCH', `/api/v1/phones/${id}`, { agent_id: agentId }));
  }
  return offer.phone_number;
}

async function leaveMessage(): Promise<string> {
  const voicemail = { action: 'leave_message', message: MESSAGE };
  const made = await tenant.request('POST', '/api/v1/agents', { ...agent, voicemail });
  return dial('voicemail', String(expectStatus(201, made).json.id));
}

async function dial(person: Reachable, agentId = tenant.agentId): Promise<string> {
  const body = { agent_id: agentId, from_number: own, to_number: numberOf(person) };
  return String(expectStatus(202, await tenant.request('POST', '/api/v1/calls', body)).json.id);
}

/** The person calls the number; resolves when the call is in the tenant's list. */
async function callIn(person: Reachable, to: string): Promise<string> {
  const line = await telnyx.calls.callIn(numberOf(person), to);
  return until(async () => {
    const { json } = await tenant.request('GET', '/api/v1/calls?direction=inbound');
    const { calls } = json as { calls: { id: string; carrier_call_id: string }[] };
    return calls.find(({ carrier_call_id }) => carrier_call_id === line.id)?.id;
  });
}

async function until<T>(look: () => Promise<T | undefined> | T | undefined, withinMs = 60_000): Promise<T> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(100)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`not within ${withinMs} ms`);
}

async function follow(id: string): Promise<Followed> {
  const seen: CallStatus[] = [];
  const call = await tenant.untilStatus(id, isOver, CALL_WITHIN_MS, ({ status }) => {
    if (seen.at(-1) !== status) seen.push(status);
  });
  return { call, seen, line: await lineOf(id) };
}

async function lineOf(callId: string): Promise<EmulatedCall> {
  const { json } = await tenant.request('GET', `/api/v1/calls/${callId}`);
  return telnyx.calls.all.find(({ id }) => id === json.carrier_call_id)!;
}

const actionsOn = ({ id }: EmulatedCall) =>
  telnyx.calls.commands.filter(({ callId }) => callId === id).map(({ action }) => action);
const explain = (call?: CallDetail) =>
  onTestFailed(() => console.error(system.tail(60), JSON.stringify(call, null, 1)));

/** Gives a call on which both have begun to talk. */
async function live(): Promise<{ id: string; line: EmulatedCall }> {
  const id = await dial('stays_silent');
  await tenant.until(
    id,
    ({ status, transcript }) => status === 'IN_PROGRESS' && transcript.length > 0,
    60_000,
  );
  return { id, line: await lineOf(id) };
}

async function transfer(id: string, body: object) {
  return expectStatus(200, await tenant.request('POST', `/api/v1/calls/${id}/transfer`, body)).json;
}

describe('a production call over Telnyx to somebody who is not reached', () => {
  it.each([
    ['busy', 'BUSY', 'busy'],
    ['voicemail', 'VOICEMAIL', 'voicemail'],
  ] as const)('%s ends as %s', async (person, status, reason) => {
    const { call } = await follow(await dial(person));
    explain(call);
    expect(call).toMatchObject({ status, end_reason: reason, is_test_call: false });
  });

  it('because nobody has the number is FAILED', async () => {
    const body = { agent_id: tenant.agentId, from_number: own, to_number: '+16465550199' };
    const { id } = expectStatus(202, await tenant.request('POST', '/api/v1/calls', body)).json;
    expect(await tenant.untilStatus(String(id), isOver, 120_000)).toMatchObject({ status: 'FAILED' });
  });
});

describe('somebody who calls a number at Telnyx without an agent', () => {
  it('hears a polite sentence, and the call ends', async () => {
    const line = await telnyx.calls.callIn(numberOf('talks'), unassigned);
    await until(() => line.state === 'ended');
    expect(line.heard).toEqual([expect.stringMatching(/^Thank you for calling\. .+ Goodbye\.$/)]);
    expect(actionsOn(line)).toEqual(['answer', 'speak', 'hangup']);
  });
});

describe('a call over Telnyx that the API hangs up', () => {
  it('ends there too', async () => {
    const { id, line } = await live();
    expectStatus(202, await tenant.request('POST', `/api/v1/calls/${id}/hangup`, {}));
    const call = await tenant.untilStatus(id, isOver, 120_000);
    explain(call);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'operator_hangup' });
    await until(() => line.state === 'ended');
    expect(actionsOn(line)).toContain('hangup');
  });
});

describe('a transfer over Telnyx', () => {
  const legOf = (line: EmulatedCall) => telnyx.calls.all.find(({ transferOf }) => transferOf === line)!;

  it('cold: brings the caller to the human by the transfer command', async () => {
    const { id, line } = await live();
    const done = await transfer(id, { destination: numberOf('talks') });
    expect(done).toMatchObject({ status: 'transferred', transfer_type: 'cold' });
    expect(await tenant.detail(id)).toMatchObject({ status: 'COMPLETED', end_reason: 'transferred' });
    await until(() => line.bridgedWith);
    expect(line.bridgedWith).toBe(legOf(line));
    // Our stream has let go, and nobody of us ends their talk.
    await line.stream!.closed;
    expect(actionsOn(line)).toEqual(['transfer']);
  });

  it('cold to somebody who is busy: the caller gets an announcement, and is not left alone on the line', async () => {
    const { id, line } = await live();
    await transfer(id, { destination: numberOf('busy') });
    await until(() => line.state === 'ended');
    expect(line.heard).toEqual([expect.stringMatching(/nobody can take your call/)]);
  });

  it('warm: the human hears the whole briefing, then both meet', async () => {
    const { id, line } = await live();
    const briefing = 'Sam Taylor is on the line about the appointment on Tuesday morning.';
    const body = { destination: numberOf('talks'), transfer_type: 'warm', briefing };
    expect(await transfer(id, body)).toMatchObject({ status: 'in_progress' });
    const call = await tenant.untilStatus(id, isOver, 120_000);
    explain(call);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'transferred' });
    const human = line.bridgedWith!;
    expect(human).toMatchObject({ to: numberOf('talks'), heard: [briefing] });
    expect(actionsOn(human)).toEqual(['speak', 'bridge']);
  });
});

describe('a call over Telnyx that a voicemail answers, of an agent with a message', () => {
  it('leaves it after the beep, whole, and ends as VOICEMAIL', async () => {
    const { call, line } = await message;
    explain(call);
    expect(call).toMatchObject({ status: 'VOICEMAIL', end_reason: 'voicemail' });
    const left = call.transcript.find(({ text }) => text === MESSAGE);
    expect(left).toMatchObject({ role: 'agent', heard_text: MESSAGE, interrupted: false });
    const sent = telnyx.webhooks.sent.filter(({ body }) => body.includes(line.id));
    expect(sent.map(({ type }) => type)).toContain('call.machine.greeting.ended');
    await until(() => line.state === 'ended');
  });
});

describe.each([
  ['a production call over Telnyx', () => talkOut],
  ['a call to a number at Telnyx', () => talkIn],
] as const)('%s to the goodbye', (_name, started) => {
  let followed: Followed;

  beforeAll(async () => {
    followed = await started();
  }, 300_000);

  it('is COMPLETED, by statuses in order, and over at Telnyx', async () => {
    const { call, seen, line } = followed;
    explain(call);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'agent_hangup', is_test_call: false });
    const order: readonly CallStatus[] = ['QUEUED', 'RINGING', 'IN_PROGRESS', 'COMPLETED'];
    expect(seen).toEqual(order.filter((status) => seen.includes(status)));
    await until(() => line.state === 'ended');
    expect(line.stream).toMatchObject({ sends: PCMA_8K, takes: PCMA_8K, errors: [] });
  });

  it('has what both said, as the audio carried it', () => {
    const { transcript } = followed.call;
    const caller = transcript.filter(({ role }) => role === 'caller').map(({ text }) => text);
    expect(caller.length).toBeGreaterThanOrEqual(3);
    expect(caller.join(' ').toLowerCase()).toContain('goodbye');
    expect(transcript.filter(({ role }) => role === 'agent').length).toBeGreaterThanOrEqual(4);
  });

  it('leaves a recording in the bucket, the caller left, the agent right', async () => {
    const { call } = followed;
    const { url, mp3 } = await tenant.recording(call.id);
    expect(new URL(url).origin).toBe(s3.url);
    const recording = await decodeRecording(mp3);
    expect(Math.abs(recording.durationMs - call.duration_ms!)).toBeLessThan(1500);
    expectTurnsRecorded(recording, call.transcript);
  });
});

describe('Telnyx’s webhooks in another order, and each more than once', () => {
  let out: Promise<Followed>;
  let into: Promise<Followed>;

  beforeAll(() => {
    telnyx.webhooks.disordered = true;
    out = dial('hangs_up').then(follow);
    into = callIn('hangs_up', own).then(follow);
    for (const call of [out, into]) call.catch(() => {});
  });

  it('are the same call out, with each event once', async () => {
    const { call } = await out;
    explain(call);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'caller_hangup' });
    const steps = ['call.queued', 'call.ringing', 'call.started', 'call.completed'];
    expect(call.events.map(({ type }) => type).filter((type) => steps.includes(type))).toEqual(steps);
  });

  it('are the same call in, once', async () => {
    const { call, line } = await into;
    explain(call);
    expect(call).toMatchObject({ status: 'COMPLETED', end_reason: 'caller_hangup' });
    expect(actionsOn(line).filter((action) => action === 'answer')).toHaveLength(1);
  });

  it('are all taken', () => {
    expect(telnyx.webhooks.sent.filter(({ status }) => status !== 200)).toEqual([]);
  });
});
