import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EmulatedCall } from '../../../../../loadtest/emulators/telnyx/emulated-call.js';
import { startTelnyxEmulator, type TelnyxEmulator } from '../../../../../loadtest/emulators/telnyx/server.js';
import { signedHeaders, signingKey } from '../../../../../loadtest/emulators/telnyx/webhooks.js';
import { ended, mediaStarted } from '../../../calls/testing/events.js';
import { transferModel } from '../../../calls/transfers/model.js';
import type { TestControlPlane } from '../../../testing/control-plane.js';
import { eventually } from '../../../testing/eventually.js';
import type { ScriptedWorker } from '../../../testing/scripted-worker.js';
import { phoneNumberModel } from '../../phones/model.js';
import { NumberService } from '../../phones/number-service.js';
import type { PhoneNumberResponse } from '../../phones/schemas.js';
import { configuredCarriers } from '../carriers.js';
import { CALLEE, CarrierInstallation, type CarrierTenant, HUMAN } from '../testing/carrier-installation.js';
import { decodeClientState } from './client-state.js';
import { telnyxFailure } from './rest-client.js';
import { meaningOf } from './webhook.js';

let telnyx: TelnyxEmulator;
let installation: CarrierInstallation;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let tenant: CarrierTenant;
let key: string;
let agentId: string;
let own: PhoneNumberResponse;

beforeAll(async () => {
  telnyx = await startTelnyxEmulator({ apiKey: 'telnyx-key', connectionId: '42' });
  installation = await CarrierInstallation.start('telnyx', {
    TELNYX_API_URL: telnyx.url,
    TELNYX_API_KEY: 'telnyx-key',
    TELNYX_PUBLIC_KEY: telnyx.publicKey,
    TELNYX_CONNECTION_ID: '42',
  });
  ({ plane, worker } = installation);
  telnyx.webhooks.url = `${plane.url}/internal/carriers/telnyx/events`;
});
afterAll(async () => {
  await telnyx?.close();
  await installation?.close();
});
beforeEach(async () => {
  tenant = await installation.newTenant();
  ({ key, agentId, own } = tenant);
});

const get = (id: string) => tenant.call(id);
const untilStatus = (id: string, status: string) => tenant.untilStatus(id, status);
const commandsOf = (call: EmulatedCall) => telnyx.calls.commands.filter(({ callId }) => callId === call.id);

async function dialed(to = CALLEE): Promise<{ id: string; line: EmulatedCall }> {
  const { id } = await tenant.dial(to);
  return { id, line: telnyx.calls.all.find((call) => decodeClientState(call.clientState).call_id === id)! };
}

const transfer = (id: string, body?: object) => tenant.transfer(id, body);
/** The leg by which Telnyx brings the call to somebody else. */
const legTo = (line: EmulatedCall) => telnyx.calls.all.find(({ transferOf }) => transferOf === line)!;

async function live() {
  const call = await dialed();
  // The stream is the worker's matter; here it only says that it began.
  call.line.stream?.stop();
  await worker.send(plane, worker.number(call.id, [mediaStarted(call.line.id)]));
  await untilStatus(call.id, 'IN_PROGRESS');
  call.line.state = 'answered';
  return call;
}

describe('numbers at Telnyx', () => {
  it('are searched, bought for the connection and released', async () => {
    expect(own).toMatchObject({ provider: 'telnyx', attestation: 'A', sandbox: false });
    expect(
      telnyx.numbers.list(new URLSearchParams({ 'filter[phone_number]': own.phone_number })),
    ).toMatchObject([{ connection_id: '42' }]);
    expect((await plane.request('DELETE', `/api/v1/phones/${own.id}`, { key })).status).toBe(204);
    expect(telnyx.numbers.list(new URLSearchParams({ 'filter[phone_number]': own.phone_number }))).toEqual(
      [],
    );
  });

  it.each([
    { number: '+13125550190', when: '', listsFail: false },
    { number: '+13125550191', when: ', also where the list of numbers fails then', listsFail: true },
  ])('whose order is not complete yet are found out about later$when', async ({ number, listsFail }) => {
    const headers = { 'idempotency-key': newId() };
    const order = async () => {
      const body = { phone_number: number, provider: 'telnyx' };
      const { status, json } = await plane.request('POST', '/api/v1/phones', { key, body, headers });
      return [status, (json as { code: string }).code];
    };
    const numbers = phoneNumberModel(plane.testStore());
    const clock = new ScriptedClock(Date.now());
    const later = new NumberService({
      numbers,
      carriers: configuredCarriers(plane.platform.config.carriers),
      requireAgent: async () => {},
      admitSpending: async () => {},
      publicUrl: () => plane.url,
      clock,
      log: silentLog,
    });
    const row = () => numbers.findOne({ number }).lean();

    Object.assign(telnyx.numbers, { ordersPend: true, listsFail });
    expect(await order()).toEqual([504, 'carrier_timeout']);
    Object.assign(telnyx.numbers, { ordersPend: false, listsFail: false });
    await clock.advance(120_000);
    await later.resume();
    expect(await row()).toMatchObject({ state: 'buying' });
    // Telnyx sells the number no second time: our own order has it.
    expect(await order()).toEqual([504, 'carrier_timeout']);
    expect(await row()).toMatchObject({ state: 'buying' });

    telnyx.numbers.complete();
    await clock.advance(3 * 86_400_000);
    await later.resume();
    expect(await row()).toMatchObject({ state: 'active', carrier_number_id: expect.any(String) });
  });

  it('send verification codes', async () => {
    const body = { phone_number: CALLEE, channel: 'sms' };
    expect((await plane.request('POST', '/api/v1/verifications', { key, body })).status).toBe(200);
    expect(telnyx.messages.at(-1)).toMatchObject({ to: CALLEE, text: expect.stringMatching(/\d{6}/) });
  });

  it('speak verification codes and hang up', async () => {
    const body = { phone_number: '+13125550151', channel: 'voice' };
    expect((await plane.request('POST', '/api/v1/verifications', { key, body })).status).toBe(200);
    const line = telnyx.calls.all.find(({ to }) => to === '+13125550151')!;
    await telnyx.calls.answer(line);
    await eventually(() => commandsOf(line).length === 2);
    expect(commandsOf(line).map(({ action }) => action)).toEqual(['speak', 'hangup']);
    expect(commandsOf(line)[0]!.body.payload).toMatch(/\d, \d, \d, \d, \d, \d/);
  });
});

describe('a call over Telnyx', () => {
  it('is dialed with a two-way media stream, whose start shows call and token', async () => {
    const { id, line } = await dialed();
    expect(line.dial).toMatchObject({
      to: CALLEE,
      from: own.phone_number,
      connection_id: '42',
      stream_track: 'inbound_track',
      stream_codec: 'PCMU',
      stream_bidirectional_mode: 'rtp',
      stream_bidirectional_codec: 'PCMU',
      stream_bidirectional_sampling_rate: 8000,
      answering_machine_detection: 'detect',
    });
    expect(decodeClientState(line.clientState)).toEqual({ call_id: id });
    expect(Buffer.from(line.clientState!, 'base64').toString()).toContain(`"token":"token-${id}"`);
    const plan = worker.plans.find(({ call_id }) => call_id === id)!;
    expect(plan.carrier).toEqual({ name: 'telnyx', protocol: 'telnyx' });
  });

  it('is answered and hung up as the webhooks report', async () => {
    const { id, line } = await dialed();
    await telnyx.calls.answer(line);
    await untilStatus(id, 'IN_PROGRESS');
    await telnyx.calls.sendEvent(line, 'call.machine.detection.ended', { result: 'human' });
    await eventually(
      () => get(id),
      (call) => (call as unknown as { answered_by: string }).answered_by === 'human',
    );
    await telnyx.calls.hangUp(line, 'normal_clearing');
    await worker.send(plane, worker.number(id, [ended('caller_hangup', 3000)]));
    expect(await get(id)).toMatchObject({ status: 'COMPLETED', end_reason: 'caller_hangup' });
  });

  it("costs what Telnyx says that it costs (call.cost), as the carrier's share", async () => {
    const { id, line } = await dialed();
    await telnyx.calls.answer(line);
    await untilStatus(id, 'IN_PROGRESS');
    await telnyx.calls.hangUp(line, 'normal_clearing');
    await telnyx.calls.sendEvent(line, 'call.cost', {
      status: 'success',
      total_cost: '0.0123',
      billed_duration_secs: 60,
      cost_parts: [{ call_part: 'sip-trunking', cost: '0.0123', currency: 'USD' }],
    });
    await worker.send(plane, worker.number(id, [ended('caller_hangup', 3000)]));
    const { cost } = await eventually(
      () => get(id),
      (call) => call.cost !== null,
    );
    expect(cost).toMatchObject({ carrier: 0.0123, currency: 'usd' });
  });

  it.each([
    ['user_busy', 'BUSY'],
    ['timeout', 'NO_ANSWER'],
    ['call_rejected', 'FAILED'],
  ])('that ends with %s is %s', async (cause, status) => {
    const { id, line } = await dialed();
    await telnyx.calls.hangUp(line, cause);
    await untilStatus(id, status);
  });

  it('that Telnyx will not ring is FAILED as rejected', async () => {
    const answer = await plane.request('POST', '/api/v1/calls', {
      key,
      body: { agent_id: agentId, from_number: own.phone_number, to_number: '+15005550016' },
    });
    expect(answer.status, answer.text).toBe(202);
    const { id } = answer.json as { id: string };
    expect(await untilStatus(id, 'FAILED')).toMatchObject({ end_reason: 'rejected' });
  });

  it('is hung up by command', async () => {
    const { id, line } = await live();
    await worker.send(plane, worker.number(id, [ended('agent_hangup', 3000)]));
    await eventually(() => line.state === 'ended');
    expect(commandsOf(line).map(({ action }) => action)).toContain('hangup');
  });

  // @rule 4.15
  it("is transferred cold by Telnyx's transfer command", async () => {
    const { id, line } = await live();
    const answer = await transfer(id);
    expect(answer.status, answer.text).toBe(200);
    expect(commandsOf(line)).toMatchObject([
      { action: 'transfer', body: { to: HUMAN, from: own.phone_number, time_limit_secs: 14_400 } },
    ]);
    expect(await get(id)).toMatchObject({ status: 'COMPLETED', end_reason: 'transferred' });
    await telnyx.calls.answer(legTo(line));
    expect(line.bridgedWith).toBe(legTo(line));
    expect(commandsOf(line).map(({ action }) => action)).toEqual(['transfer']);
  });

  it.each(['user_busy', 'timeout', 'call_rejected'])(
    'whose transfer ends with %s leaves nobody alone on the line: a polite word, and the end',
    async (cause) => {
      const { id, line } = await live();
      await transfer(id);
      await telnyx.calls.hangUp(legTo(line), cause);
      await eventually(() => line.state === 'ended');
      expect(commandsOf(line).map(({ action }) => action)).toEqual(['transfer', 'speak', 'hangup']);
      expect(line.heard).toEqual([expect.stringMatching(/nobody can take your call/)]);
    },
  );

  it('whose caller hangs up before the transfer is taken needs no word any more', async () => {
    const { id, line } = await live();
    await transfer(id);
    await telnyx.calls.hangUp(line, 'normal_clearing');
    expect(legTo(line).state).toBe('ended');
    expect(telnyx.webhooks.sent.at(-1)).toMatchObject({ type: 'call.hangup', status: 200 });
    expect(commandsOf(line).map(({ action }) => action)).toEqual(['transfer']);
  });

  describe('that is transferred warm', () => {
    async function warm() {
      const { id, line } = await live();
      const answer = await transfer(id, { transfer_type: 'warm', briefing: 'Ada calls.' });
      expect(answer.json).toMatchObject({ status: 'in_progress' });
      const { transfer_id } = answer.json as { transfer_id: string };
      const leg = telnyx.calls.all.find(
        (call) => decodeClientState(call.clientState).transfer_id === transfer_id,
      )!;
      return { id, line, leg };
    }

    // @rule 4.15
    it('rings the human, briefs them, and then brings the caller to them', async () => {
      const { id, line, leg } = await warm();
      await telnyx.calls.answer(leg);
      await eventually(
        () => get(id),
        (call) => call.end_reason === 'transferred',
      );
      expect(commandsOf(leg)).toMatchObject([
        { action: 'speak', body: { payload: 'Ada calls.' } },
        { action: 'bridge', body: { call_control_id: line.id } },
      ]);
      // To its last word: a bridge that came before would have cut it off.
      expect(leg.heard).toEqual(['Ada calls.']);
    });

    it('by a replica that died before it noted the end: the command is repeated, and done once', async () => {
      const { id, line, leg } = await warm();
      leg.state = 'answered';
      await transferModel(await installation.store.connect()).updateOne(
        { call_id: id },
        { $set: { stage: 'handing_over', leg_id: leg.id, moved_at: new Date(0) } },
      );
      await eventually(
        () => get(id),
        (call) => call.end_reason === 'transferred',
      );
      expect(commandsOf(leg)).toMatchObject([{ action: 'bridge', body: { call_control_id: line.id } }]);
      expect(leg.state).toBe('answered');
    });

    it('whose human is an answering machine leaves the caller with the agent', async () => {
      const { id, leg } = await warm();
      leg.state = 'answered';
      await telnyx.calls.sendEvent(leg, 'call.answered');
      await telnyx.calls.sendEvent(leg, 'call.machine.detection.ended', { result: 'machine' });
      await eventually(() => leg.state === 'ended');
      expect(await get(id)).toMatchObject({ status: 'IN_PROGRESS', extra: { transfer_in_progress: false } });
    });

    it('whose human does not answer leaves the caller with the agent', async () => {
      const { id, leg } = await warm();
      await telnyx.calls.hangUp(leg, 'timeout');
      await eventually(
        () => get(id),
        ({ extra }) => !extra.transfer_in_progress,
      );
      expect(await get(id)).toMatchObject({ status: 'IN_PROGRESS' });
    });

    it('whose human hangs up at the briefing leaves the caller with the agent', async () => {
      const { id, leg } = await warm();
      leg.state = 'answered';
      await telnyx.calls.sendEvent(leg, 'call.answered');
      await telnyx.calls.hangUp(leg, 'normal_clearing');
      await eventually(
        () => get(id),
        ({ extra }) => !extra.transfer_in_progress,
      );
      expect(await get(id)).toMatchObject({ status: 'IN_PROGRESS' });
    });
  });
});

describe('somebody who calls a number at Telnyx', () => {
  const assign = () =>
    plane.request('PATCH', `/api/v1/phones/${own.id}`, { key, body: { agent_id: agentId } });
  const inbound = async () =>
    (
      (await plane.request('GET', '/api/v1/calls?direction=inbound', { key })).json as {
        calls: { id: string }[];
      }
    ).calls;

  // @rule 1.4
  it("is answered with the agent's media stream", async () => {
    await assign();
    const line = await telnyx.calls.callIn(CALLEE, own.phone_number);
    const [call] = await inbound();
    expect(call).toMatchObject({ direction: 'inbound', carrier: 'telnyx', from_number: CALLEE });
    const [answer] = commandsOf(line);
    expect(answer).toMatchObject({
      action: 'answer',
      body: { stream_bidirectional_mode: 'rtp', stream_bidirectional_codec: 'PCMU' },
    });
    expect(decodeClientState(answer!.body.client_state as string)).toEqual({ call_id: call!.id });
  });

  it('and whose number has no agent hears a polite word, then the call ends', async () => {
    const line = await telnyx.calls.callIn(CALLEE, own.phone_number);
    await eventually(() => line.state === 'ended');
    expect(commandsOf(line).map(({ action }) => action)).toEqual(['answer', 'speak', 'hangup']);
    expect(commandsOf(line)[1]!.body.payload).toMatch(/Thank you for calling/);
    expect(await inbound()).toEqual([]);
  });

  it('is one call, however often Telnyx reports it', async () => {
    await assign();
    const line = await telnyx.calls.callIn(CALLEE, own.phone_number);
    const initiated = telnyx.webhooks.sent.findLast(({ type }) => type === 'call.initiated')!;
    await telnyx.webhooks.send(initiated.type, initiated.body);
    expect(telnyx.webhooks.sent.at(-1)).toMatchObject({ status: 200 });
    expect(await inbound()).toHaveLength(1);
    expect(commandsOf(line).map(({ action }) => action)).toEqual(['answer']);
  });
});

describe('a webhook', () => {
  const body = JSON.stringify({
    data: { id: newId(), event_type: 'call.answered', payload: { call_control_id: 'v3:unknown' } },
  });
  const post = (headers: Record<string, string>, text = body) =>
    fetch(`${plane.url}/internal/carriers/telnyx/events`, { method: 'POST', headers, body: text }).then(
      ({ status }) => status,
    );
  // The emulator signs with its key; another key is what a forger has.
  const forged = signingKey();

  it('of an unknown call is taken and ignored', async () => {
    await telnyx.webhooks.send('call.answered', body);
    expect(telnyx.webhooks.sent.at(-1)).toMatchObject({ status: 200 });
  });

  it('that nobody signed, or somebody else did, is refused', async () => {
    expect(await post({ 'content-type': 'application/json' })).toBe(401);
    expect(await post(signedHeaders(forged.privateKey, body, Date.now()))).toBe(401);
  });

  it('that was changed on its way, or is older than five minutes, is refused', async () => {
    const now = Date.now();
    expect(await post(telnyx.headersFor(body, now))).toBe(200);
    expect(await post(telnyx.headersFor(body, now), body.replace('answered', 'hangup'))).toBe(401);
    expect(await post(telnyx.headersFor(body, now - 301_000))).toBe(401);
    expect(await post(telnyx.headersFor(body, now + 302_000))).toBe(401);
    expect(await post(telnyx.headersFor(body, now - 290_000))).toBe(200);
  });

  it('that is signed and makes no sense is a malformed request', async () => {
    for (const text of ['no json', '{}', '{"data":{"id":"1","event_type":"x","payload":{}}}']) {
      expect(await post(telnyx.headersFor(text, Date.now()), text)).toBe(400);
    }
  });
});

describe('what an event means', () => {
  const event = (event_type: string, payload: object = {}) => ({
    id: 'e1',
    event_type,
    payload: { call_control_id: 'v3:1', ...payload },
  });
  it.each([
    ['machine', 'machine_start'],
    ['human_residence', 'human'],
    ['beep_detected', 'machine_end_beep'],
    ['fax_detected', 'fax'],
    ['not_sure', 'unknown'],
  ])('a detection of %s is %s', (result, answeredBy) => {
    const type = result === 'beep_detected' ? 'call.machine.greeting.ended' : 'call.machine.detection.ended';
    expect(meaningOf(event(type, { result }))).toMatchObject([
      { report: { kind: 'answered_by', answeredBy } },
    ]);
  });

  it('what is not for us means nothing', () => {
    for (const type of ['call.bridged', 'streaming.started', 'call.speak.ended', 'message.sent']) {
      expect(meaningOf(event(type))).toEqual([]);
    }
  });
});

describe('an error of Telnyx', () => {
  const body = (code: string) => JSON.stringify({ errors: [{ code, title: 't', detail: 'd' }] });
  it.each([
    [422, '10016', 'rejected', 'telnyx_10016'],
    [422, '85001', 'rejected', 'telnyx_85001'],
    [401, '10009', 'failed', 'telnyx_10009'],
    [429, '10011', 'not_dialed', 'telnyx_10011'],
    [503, '', 'not_dialed', 'http_503'],
    [500, '', 'unknown', 'http_500'],
  ])('%i %s is %s', (status, code, kind, name) => {
    expect(telnyxFailure(status, code === '' ? 'oops' : body(code))).toMatchObject({ kind, code: name });
  });
});
