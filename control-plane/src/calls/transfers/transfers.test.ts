import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import type { DialedCall, ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import { callModel } from '../record/model.js';
import { ended } from '../testing/events.js';
import { HUMAN, refusal, TransferScene } from './testing/transfer-scene.js';

const scene = new TransferScene();
const { live, call, transfer, deliveriesOf, commandsOf, legOf } = scene;
let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;

beforeAll(async () => {
  await scene.start();
  ({ carrier, plane, worker } = scene);
});
afterAll(() => scene.close());
beforeEach(() => scene.renew());

describe('POST /api/v1/calls/{call_id}/transfer', () => {
  // @rule 4.15
  it("connects the caller with a human in the carrier's way; the call ends as transferred", async () => {
    const { id, line } = await live();
    const answer = await transfer(id);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({
      call_id: id,
      status: 'transferred',
      transfer_to: HUMAN,
      transfer_type: 'cold',
    });
    const [redirect] = carrier.redirected.filter(({ sid }) => sid === line.sid);
    expect(redirect!.twiml).toBe(
      `<?xml version="1.0" encoding="UTF-8"?><Response><Dial callerId="${SANDBOX_CALLER_ID}" answerOnBridge="true" timeLimit="14400" action="${plane.url}/internal/carriers/simulated/dialed" method="POST">${HUMAN}</Dial></Response>`,
    );
    expect(await call(id)).toMatchObject({
      status: 'COMPLETED',
      end_reason: 'transferred',
      extra: { transfer_in_progress: false },
    });
    // The worker is informed, and the carrier's call goes on without us.
    await eventually(() => commandsOf(id).length > 0);
    expect(commandsOf(id)).toEqual([{ kind: 'carrier_ended', reason: 'transferred' }]);
    expect(carrier.hungUp).not.toContain(line.sid);
  });

  it.each([
    ['busy', /^<.+<Response><Say>I am sorry, nobody can take your call.+<\/Say><Hangup\/><\/Response>$/],
    ['no-answer', /<Say>I am sorry/],
    ['failed', /<Say>I am sorry/],
    ['completed', /^<[^>]+><Response><Hangup\/><\/Response>$/],
  ])('to a human whose phone is %s leaves nobody alone on the line', async (status, twiml) => {
    const { id, line } = await live();
    await transfer(id);
    const action = /action="([^"]+)"/.exec(carrier.redirected.at(-1)!.twiml)![1]!;
    const asked = await carrier.callIn(action, { CallSid: line.sid, DialCallStatus: status });
    expect(asked).toMatchObject({ status: 200, contentType: expect.stringContaining('text/xml') });
    expect(asked.twiml).toMatch(twiml);
    const form = new URLSearchParams({ CallSid: line.sid, DialCallStatus: status });
    expect((await fetch(action, { method: 'POST', body: form })).status).toBe(401);
  });

  // @rule 6.18
  it('emits call.transferred once, and writes the audit row', async () => {
    const { id } = await live();
    const answer = await transfer(id);
    await eventually(() => deliveriesOf(id).length > 0);
    expect(deliveriesOf(id)).toHaveLength(1);
    expect(deliveriesOf(id)[0]!.event.data).toMatchObject({ transfer_to: HUMAN, transfer_type: 'cold' });
    const actions = await plane.request('GET', `/api/v1/calls/${id}/operator-actions`, { key: scene.key });
    expect(actions.json).toMatchObject({
      operator_actions: [
        {
          id: (answer.json as { transfer_id: string }).transfer_id,
          action: 'transfer',
          status: 'carried_out',
          details: { destination: HUMAN, transfer_type: 'cold' },
        },
      ],
    });
  });

  // @rule 4.13
  it('a concurrent second transfer is refused through the guard flag', async () => {
    const { id } = await live();
    let release = () => {};
    carrier.beforeRedirect = () => new Promise((resolve) => (release = resolve));
    const first = transfer(id);
    await eventually(async () => (await call(id)).extra.transfer_in_progress);
    expect(refusal(await transfer(id))).toEqual([409, 'transfer_in_progress']);
    release();
    expect((await first).status).toBe(200);
    expect(carrier.redirected.filter(({ twiml }) => twiml.includes(HUMAN)).length).toBeGreaterThan(0);
  });

  // @rule 4.13
  it('of many at the same moment one wins', async () => {
    const { id, line } = await live();
    const answers = await Promise.all(Array.from({ length: 5 }, () => transfer(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toHaveLength(1);
  });

  it('with one Idempotency-Key is one transfer', async () => {
    const { id, line } = await live();
    const headers = { 'idempotency-key': newId() };
    const [first, second] = [await transfer(id, {}, headers), await transfer(id, {}, headers)];
    expect(second.text).toBe(first.text);
    expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toHaveLength(1);
  });

  it('that the carrier refuses is 502, and the call goes on and may be transferred again', async () => {
    const { id } = await live();
    carrier.redirectMode = 'refuses';
    expect(refusal(await transfer(id))).toEqual([502, 'carrier_error']);
    expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS', extra: { transfer_in_progress: false } });
    expect(deliveriesOf(id)).toEqual([]);
    carrier.redirectMode = 'takes';
    expect((await transfer(id)).status).toBe(200);
  });

  it('of a call that is not live is 409, of a foreign one 404', async () => {
    const { id } = await live();
    const { key: foreign } = await plane.newKey();
    const path = `/api/v1/calls/${id}/transfer`;
    const body = { destination: HUMAN };
    expect(refusal(await plane.request('POST', path, { key: foreign, body }))).toEqual([
      404,
      'call_not_found',
    ]);
    await worker.send(plane, worker.number(id, [ended('caller_hangup', 1000)]));
    expect(refusal(await transfer(id))).toEqual([409, 'call_not_active']);
  });

  // @rule 5.4
  it('with a sandbox key reaches carrier test numbers only', async () => {
    const { id } = await live();
    expect(refusal(await transfer(id, { destination: '+14155550123' }))).toEqual([
      403,
      'sandbox_number_required',
    ]);
  });

  it.each(['4155550123', '+0123456', 'sip:a@b', ''])('refuses the destination %j', async (destination) => {
    const { id } = await live();
    expect((await transfer(id, { destination })).status).toBe(422);
  });
});

describe('the end of our media stream while the caller is handed over', () => {
  it('is the transfer, though the worker takes it for a hang-up', async () => {
    const { id } = await live();
    carrier.beforeRedirect = async () => {
      await worker.send(plane, worker.number(id, [ended('caller_hangup', 5000)]));
    };
    expect((await transfer(id)).status).toBe(200);
    expect(await call(id)).toMatchObject({ status: 'COMPLETED', end_reason: 'transferred' });
  });

  it('is the transfer, too, when it is reported after the carrier has agreed and before the call has ended', async () => {
    const { id } = await live();
    const transfers = plane.platform.store.collection('transfers');
    const { tenant_id } = await callModel(plane.testStore()).findById(id).orFail();
    const row = {
      _id: newId(),
      tenant_id,
      call_id: id,
      stage: 'transferred',
      settled: false,
      moved_at: new Date(),
    };
    await transfers.insertOne(row as never);
    await worker.send(plane, worker.number(id, [ended('caller_hangup', 5000)]));
    expect(await call(id)).toMatchObject({
      status: 'COMPLETED',
      end_reason: 'transferred',
      duration_ms: 5000,
    });
    await transfers.deleteOne({ _id: row._id as never });
  });

  it('is a hang-up when the carrier then refuses', async () => {
    const { id } = await live();
    carrier.redirectMode = 'refuses';
    carrier.beforeRedirect = async () => {
      await worker.send(plane, worker.number(id, [ended('caller_hangup', 5000)]));
    };
    expect((await transfer(id)).status).toBe(502);
    expect(await call(id)).toMatchObject({
      status: 'COMPLETED',
      end_reason: 'caller_hangup',
      duration_ms: 5000,
    });
  });
});

describe('a warm transfer', () => {
  async function warm() {
    const { id, line } = await live();
    const answer = await transfer(id, { transfer_type: 'warm', briefing: 'Ada about her order.' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({ status: 'in_progress', transfer_type: 'warm' });
    const { transfer_id } = answer.json as { transfer_id: string };
    const leg = legOf(transfer_id)!;
    leg.status = 'in-progress';
    return { id, line, leg, transfer_id };
  }

  it('rings the human and briefs them; then both meet', async () => {
    const { id, line, leg, transfer_id } = await warm();
    expect(leg.form).toMatchObject({ To: HUMAN, From: SANDBOX_CALLER_ID });
    expect(leg.form.Twiml).toContain('<Say>Ada about her order.</Say>');
    expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS', extra: { transfer_in_progress: true } });

    expect(await carrier.report(leg, 'in-progress')).toBe(204);
    // The caller talks with the agent until the human has heard all of it.
    expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toEqual([]);
    expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS', extra: { transfer_in_progress: true } });
    const next = await carrier.briefed(leg);
    expect(next).toMatchObject({ status: 200 });
    expect(next.twiml).toContain(`>${transfer_id}</Conference>`);
    const [joined] = carrier.redirected.filter(({ sid }) => sid === line.sid);
    expect(joined!.twiml).toContain(`>${transfer_id}</Conference>`);
    expect(await call(id)).toMatchObject({ status: 'COMPLETED', end_reason: 'transferred' });

    // Reported again, and the end of their talk: nothing more happens.
    await carrier.takes(leg);
    await carrier.report(leg, 'completed');
    expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toHaveLength(1);
    await eventually(() => deliveriesOf(id).length > 0);
    expect(deliveriesOf(id)[0]!.event.data).toMatchObject({ transfer_type: 'warm' });
  });

  it.each(['busy', 'no-answer', 'failed', 'canceled'])(
    'whose human is %s leaves the caller with the agent',
    async (status) => {
      const { id, line, leg } = await warm();
      await carrier.report(leg, status);
      expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS', extra: { transfer_in_progress: false } });
      expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toEqual([]);
      expect(deliveriesOf(id)).toEqual([]);
    },
  );

  it.each(['caller_hangup', 'transferred'] as const)(
    'of a caller who hangs up meanwhile ends with that, and the human is let go (the worker says %s)',
    async (reason) => {
      const { id, leg } = await warm();
      await worker.send(plane, worker.number(id, [ended(reason, 5000)]));
      expect(await call(id)).toMatchObject({ end_reason: 'caller_hangup' });
      // Without a word of the carrier: their phone need not ring to the end.
      await eventually(() => carrier.hungUp.includes(leg.sid));
      expect((await carrier.briefed(leg)).twiml).toContain('<Hangup/>');
      expect(deliveriesOf(id)).toEqual([]);
    },
  );

  it('of a caller who hangs up while the human is briefed lets the human go', async () => {
    const { id, line, leg } = await warm();
    await carrier.report(leg, 'in-progress');
    await worker.send(plane, worker.number(id, [ended('caller_hangup', 5000)]));
    expect((await carrier.briefed(leg)).twiml).toContain('<Hangup/>');
    await eventually(() => carrier.hungUp.includes(leg.sid));
    expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toEqual([]);
    expect(await call(id)).toMatchObject({ end_reason: 'caller_hangup' });
  });

  it('whose human has heard the briefing after the deadline joins nobody', async () => {
    const { id, line, leg, transfer_id } = await warm();
    await carrier.report(leg, 'in-progress');
    const transfers = plane.platform.store.collection('transfers');
    await transfers.updateOne({ _id: transfer_id as never }, { $set: { deadline_at: new Date() } });
    expect((await carrier.briefed(leg)).twiml).toContain('<Hangup/>');
    expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toEqual([]);
    expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS', extra: { transfer_in_progress: false } });
  });

  it('that nobody signed is not believed', async () => {
    const { id, leg } = await warm();
    const forged = await fetch(leg.form.StatusCallback!, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': 'bm90aGluZw==',
      },
      body: new URLSearchParams({ CallSid: leg.sid, CallStatus: 'in-progress' }).toString(),
    });
    expect(forged.status).toBe(401);
    expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS' });
  });
});

describe("a transfer that the agent's tool asks for", () => {
  const wish = (type: 'cold' | 'warm', destination = HUMAN) => ({
    kind: 'transfer_requested' as const,
    tool_call_id: 'tool-1',
    destination,
    transfer_type: type,
  });

  it('is carried out, and the agent learns how it went', async () => {
    const { id, line } = await live();
    await worker.send(plane, worker.number(id, [wish('cold')]));
    await eventually(() => commandsOf(id).length > 0);
    expect(commandsOf(id)).toEqual([
      { kind: 'transfer_result', tool_call_id: 'tool-1', ok: true, message: 'The call is transferred.' },
    ]);
    expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toHaveLength(1);
    // The worker ends the call and says how long it was.
    await worker.send(plane, worker.number(id, [ended('transferred', 7000)]));
    expect(await call(id)).toMatchObject({
      status: 'COMPLETED',
      end_reason: 'transferred',
      duration_ms: 7000,
    });
    await eventually(() => deliveriesOf(id).length > 0);
  });

  it('is its end, too, when the worker has said so before the carrier agreed', async () => {
    const { id } = await live();
    carrier.beforeRedirect = async () => {
      await worker.send(plane, worker.number(id, [ended('transferred', 5000)]));
      worker.over.add(id);
    };
    await worker.send(plane, worker.number(id, [wish('cold')]));
    // With the transfer itself, and not by a sweep that finds a call which its worker does not hold.
    await eventually(() =>
      plane.platform.store.collection('transfers').findOne({ call_id: id, settled: true }),
    );
    expect(await call(id)).toMatchObject({
      status: 'COMPLETED',
      end_reason: 'transferred',
      duration_ms: 5000,
    });
  });

  it('requested twice is one transfer', async () => {
    const { id, line } = await live();
    const events = worker.number(id, [wish('cold')]);
    await worker.send(plane, events);
    await worker.send(plane, events);
    await eventually(() => commandsOf(id).length > 0);
    expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toHaveLength(1);
  });

  describe('warm', () => {
    async function asked(more: object = {}) {
      const { id, line } = await live();
      const dialed = carrier.dialed.length;
      const event = { ...wish('warm'), briefing: 'Ada, about her order.', ...more };
      await worker.send(plane, worker.number(id, [event]));
      const leg = () => carrier.dialed.slice(dialed).find(({ form }) => form.Twiml?.includes('Redirect'));
      return { id, line, leg };
    }

    it('gives the human its briefing first, then the caller; the agent learns it', async () => {
      const { id, line, leg } = await asked();
      const rung = (await eventually(() => leg()))!;
      expect(rung.form.Twiml).toContain('<Say>Ada, about her order.</Say>');
      await carrier.report(rung, 'in-progress');
      expect(commandsOf(id)).toEqual([]);
      await carrier.briefed(rung);
      await eventually(() => commandsOf(id).length > 0);
      expect(commandsOf(id)).toMatchObject([{ kind: 'transfer_result', ok: true }]);
      expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toHaveLength(1);
    });

    it.each([
      ['busy', (leg: DialedCall) => carrier.report(leg, 'busy')],
      ['no_answer', (leg: DialedCall) => carrier.report(leg, 'no-answer')],
      ['failed', (leg: DialedCall) => carrier.report(leg, 'failed')],
      [
        'declined',
        async (leg: DialedCall) => {
          await carrier.report(leg, 'in-progress');
          await carrier.report(leg, 'completed');
        },
      ],
      [
        'machine',
        async (leg: DialedCall) => {
          await carrier.report(leg, 'in-progress');
          await carrier.reportAnsweredBy(leg, 'machine_start');
        },
      ],
    ] as const)('goes back to the agent with its reason: %s', async (reason, happens) => {
      const { id, line, leg } = await asked();
      const rung = (await eventually(() => leg()))!;
      await happens(rung);
      await eventually(() => commandsOf(id).length > 0);
      expect(commandsOf(id)).toMatchObject([
        { kind: 'transfer_result', ok: false, message: expect.stringContaining(`(${reason})`) },
      ]);
      expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toEqual([]);
      expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS', extra: { transfer_in_progress: false } });
      if (reason === 'machine') expect(carrier.hungUp).toContain(rung.sid);
    });

    it('of which a person has answered goes on', async () => {
      const { id, leg } = await asked();
      const rung = (await eventually(() => leg()))!;
      await carrier.report(rung, 'in-progress');
      expect(await carrier.reportAnsweredBy(rung, 'human')).toBe(204);
      await carrier.briefed(rung);
      await eventually(() => commandsOf(id).length > 0);
      expect(commandsOf(id)).toMatchObject([{ ok: true }]);
    });

    it('rings nobody when the wish comes after the agent has given it up', async () => {
      const before = carrier.dialed.length;
      const { id } = await asked({ give_up_at: Date.now() - 1 });
      await eventually(() => commandsOf(id).length > 0);
      expect(commandsOf(id)).toMatchObject([{ ok: false, message: expect.stringContaining('(failed)') }]);
      // The call itself alone.
      expect(carrier.dialed).toHaveLength(before + 1);
    });

    it('rings no longer than the agent waits', async () => {
      const { leg } = await asked({ give_up_at: Date.now() + 12_000 });
      const rung = (await eventually(() => leg()))!;
      expect(Number(rung.form.Timeout)).toBeLessThanOrEqual(12);
    });
  });

  it('that cannot be made is reported to the agent, which goes on', async () => {
    const { id } = await live();
    carrier.redirectMode = 'refuses';
    await worker.send(plane, worker.number(id, [wish('cold')]));
    await eventually(() => commandsOf(id).length > 0);
    expect(commandsOf(id)).toMatchObject([{ kind: 'transfer_result', ok: false }]);
    expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS' });
  });

  it('to a number that is not allowed is reported to the agent', async () => {
    const { id } = await live();
    await worker.send(plane, worker.number(id, [wish('cold', '+14155550123')]));
    await eventually(() => commandsOf(id).length > 0);
    expect(commandsOf(id)).toMatchObject([{ kind: 'transfer_result', ok: false }]);
  });
});
