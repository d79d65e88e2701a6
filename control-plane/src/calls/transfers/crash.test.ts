/** @replicas Leases: another replica finishes a transfer. */

import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import type { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';
import { callModel } from '../record/model.js';
import { ended } from '../testing/events.js';
import { type TransferRow, transferModel } from './model.js';
import { HUMAN, refusal, TransferScene } from './testing/transfer-scene.js';

const scene = new TransferScene();
const { live, call, transfer, deliveriesOf, legOf } = scene;
let carrier: ScriptedCarrier;
let plane: TestControlPlane;
let worker: ScriptedWorker;

beforeAll(async () => {
  await scene.start();
  ({ carrier, plane, worker } = scene);
});
afterAll(() => scene.close());
beforeEach(() => scene.renew());

describe('a crash in the middle of a transfer', () => {
  const age = async (id: string) =>
    transferModel(await scene.store.connect()).updateOne(
      { call_id: id },
      { $set: { moved_at: new Date(0) } },
    );

  it('that hides whether the caller is gone: the ended stream says that it is', async () => {
    const { id } = await live();
    carrier.redirectMode = 'takes_silently';
    expect((await transfer(id)).status).toBe(504);
    await worker.send(plane, worker.number(id, [ended('caller_hangup', 5000)]));
    expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS', extra: { transfer_in_progress: true } });
    await age(id);
    await eventually(
      () => call(id),
      ({ status }) => status === 'COMPLETED',
    );
    expect(await call(id)).toMatchObject({ end_reason: 'transferred' });
    await eventually(() => deliveriesOf(id).length > 0);
  });

  it('that hides whether the caller is gone: the stream that goes on says that it is not', async () => {
    const { id } = await live();
    carrier.redirectMode = 'takes_silently';
    await transfer(id);
    await age(id);
    await eventually(
      () => call(id),
      ({ extra }) => !extra.transfer_in_progress,
    );
    expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS' });
  });

  describe('that is warm', () => {
    const briefed = { transfer_type: 'warm', briefing: 'Ada about her order.' };
    const rowOf = async (id: string) =>
      transferModel(await scene.store.connect())
        .findOne({ call_id: id })
        .orFail()
        .lean<TransferRow>();
    /** As a replica leaves the row that dies at this stage. */
    const leftAt = async (id: string, set: Partial<TransferRow>) =>
      transferModel(await scene.store.connect()).updateOne(
        { call_id: id },
        { $set: { ...set, moved_at: new Date(0) } },
      );
    const released = (id: string) =>
      eventually(
        () => call(id),
        ({ extra }) => !extra.transfer_in_progress,
      );

    it('while the human is called: the guard is released, the agent goes on, and may transfer again', async () => {
      const { id } = await live();
      carrier.mode = 'takes_silently';
      expect((await transfer(id, briefed)).status).toBe(504);
      carrier.mode = 'takes';
      expect(await rowOf(id)).toMatchObject({ stage: 'calling', leg_id: null });
      expect(refusal(await transfer(id))).toEqual([409, 'transfer_in_progress']);
      await leftAt(id, {});
      await released(id);
      expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS' });
      expect((await transfer(id)).status).toBe(200);
    });

    it('while the human is called, who answers all the same: nobody is left waiting in a conference', async () => {
      const { id, line } = await live();
      carrier.mode = 'takes_silently';
      await transfer(id, briefed);
      carrier.mode = 'takes';
      const { _id } = await rowOf(id);
      await leftAt(id, {});
      await released(id);
      const leg = legOf(_id)!;
      await carrier.report(leg, 'in-progress');
      expect(carrier.hungUp).toContain(leg.sid);
      expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toEqual([]);
    });

    it('while the human is called, who answers in time: another replica goes on', async () => {
      const { id, line } = await live();
      carrier.mode = 'takes_silently';
      await transfer(id, briefed);
      carrier.mode = 'takes';
      const leg = legOf((await rowOf(id))._id)!;
      await carrier.takes(leg);
      expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toHaveLength(1);
      expect(await call(id)).toMatchObject({ status: 'COMPLETED', end_reason: 'transferred' });
    });

    it('while the human is briefed: given up at the deadline, and the human let go', async () => {
      const { id } = await live();
      const { transfer_id } = (await transfer(id, briefed)).json as { transfer_id: string };
      const leg = legOf(transfer_id)!;
      await carrier.report(leg, 'in-progress');
      expect(await rowOf(id)).toMatchObject({ stage: 'briefing', leg_id: leg.sid });
      await leftAt(id, { deadline_at: new Date(0) });
      await released(id);
      await eventually(() => carrier.hungUp.includes(leg.sid));
      expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS' });
    });

    it('before the caller is brought over: the guard is released, and the human let go', async () => {
      const { id } = await live();
      const { transfer_id } = (await transfer(id, briefed)).json as { transfer_id: string };
      const leg = legOf(transfer_id)!;
      leg.status = 'in-progress';
      await leftAt(id, { stage: 'handing_over', leg_id: leg.sid });
      await released(id);
      expect(await call(id)).toMatchObject({ status: 'IN_PROGRESS' });
      await eventually(() => carrier.hungUp.includes(leg.sid));
      expect(deliveriesOf(id)).toEqual([]);
    });

    it('after the caller was brought over: it is finished, once', async () => {
      const { id, line } = await live();
      const { transfer_id } = (await transfer(id, briefed)).json as { transfer_id: string };
      const leg = legOf(transfer_id)!;
      leg.status = 'in-progress';
      carrier.redirectMode = 'takes_silently';
      await carrier.report(leg, 'in-progress');
      // Whether the caller comes is not known: the human waits for them.
      expect((await carrier.briefed(leg)).twiml).toContain(`>${transfer_id}</Conference>`);
      await worker.send(plane, worker.number(id, [ended('caller_hangup', 5000)]));
      await leftAt(id, {});
      await eventually(
        () => call(id),
        ({ status }) => status === 'COMPLETED',
      );
      expect(await call(id)).toMatchObject({
        end_reason: 'transferred',
        extra: { transfer_in_progress: false },
      });
      await carrier.takes(leg);
      expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toHaveLength(1);
      await eventually(() => deliveriesOf(id).length > 0);
      expect(deliveriesOf(id)).toHaveLength(1);
    });

    it('before all that follows was done: it is done, once', async () => {
      const { id } = await live();
      const { transfer_id } = (await transfer(id, briefed)).json as { transfer_id: string };
      const leg = legOf(transfer_id)!;
      await leftAt(id, { stage: 'transferred', leg_id: leg.sid });
      await eventually(
        () => call(id),
        ({ end_reason }) => end_reason === 'transferred',
      );
      await eventually(
        () => rowOf(id),
        ({ settled }) => settled,
      );
      await leftAt(id, { settled: false });
      await eventually(
        () => rowOf(id),
        ({ settled }) => settled,
      );
      await eventually(() => deliveriesOf(id).length > 0);
      expect(deliveriesOf(id)).toHaveLength(1);
    });
  });

  it('before the carrier was asked: it is carried out', async () => {
    const { id, line } = await live();
    const connection = await scene.store.connect();
    const transfers = transferModel(connection);
    const _id = newId();
    await callModel(connection).updateOne(
      { _id: id },
      { $set: { transfer_in_progress: true, transfer_id: _id } },
    );
    await transfers.create({
      _id,
      tenant_id: (await callModel(connection).findById(id).orFail()).tenant_id,
      call_id: id,
      destination: HUMAN,
      transfer_type: 'cold',
      stage: 'requested',
      deadline_at: new Date(Date.now() + 60_000),
      created_at: new Date(0),
      moved_at: new Date(0),
      settled: false,
    });
    await eventually(
      () => call(id),
      ({ end_reason }) => end_reason === 'transferred',
    );
    expect(carrier.redirected.filter(({ sid }) => sid === line.sid)).toHaveLength(1);
  });
});
