import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { type CallEvent, type CallEventBody, callEvent } from '@voice/shared/contracts/call-events';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { callEventId } from '../record/call-event-model.js';
import { FOLDED, foldedEvents } from '../record/folded-events.js';
import { CallRecords } from '../record/records.js';
import { agentMessage, ended, mediaStarted, metricsOf } from '../testing/events.js';
import { EventFolding } from './event-folding.js';

/** What a call of 23 seconds leaves. */
const BODIES: readonly CallEventBody[] = [
  mediaStarted('CA0123456789abcdef0123456789abcdef'),
  ...Array.from({ length: 8 }, (_, n) => [
    agentMessage(n, `The appointment on Tuesday at ${n} is still free, shall I book it for you?`),
    metricsOf(n, 600 + n),
  ]).flat(),
  ended('caller_hangup', 23_000),
];

let store: TestStore;
let records: CallRecords;
let clock: ScriptedClock;
let tenant: string;

beforeAll(async () => {
  store = await startTestStore();
  records = new CallRecords({
    store: await store.connect(),
    secrets: new SecretBox('a key of at least thirty-two characters'),
    readArchived: async () => [],
  });
});
beforeEach(() => {
  clock = new ScriptedClock();
  tenant = newId();
});
afterAll(() => store?.close());

const eventOf = (callId: string, body: CallEventBody, seq: number): CallEvent =>
  callEvent.parse({ ...body, call_id: callId, seq, at: clock.now() + seq });
const rowOf = (event: CallEvent) => ({
  _id: callEventId(event.call_id, event.seq),
  tenant_id: tenant,
  call_id: event.call_id,
  seq: event.seq,
  kind: event.kind,
  at: new Date(event.at),
  received_at: new Date(clock.now()),
  body: JSON.stringify(event),
});
const insert = (events: readonly CallEvent[]) => records.events.insertMany(events.map(rowOf));

/** A call that is due to be folded, with its events. */
async function finished(fields: object = {}): Promise<{ readonly id: string; readonly events: CallEvent[] }> {
  const id = newId();
  const events = BODIES.map((body, at) => eventOf(id, body, at + 1));
  await insert(events);
  await records.calls.collection.insertOne({
    _id: id,
    tenant_id: tenant,
    status: 'COMPLETED',
    fold_due_at: new Date(clock.now()),
    ...fields,
  } as never);
  return { id, events };
}

const sweep = () => new EventFolding({ ...records, clock }).sweep();
const read = (id: string, after = 0) => records.eventsAfter(asTenantId(tenant), id, after);
const documents = (id: string) => records.events.collection.find({ call_id: id }).toArray();
const bytes = async (id: string) =>
  (await documents(id)).reduce(
    (sum, { body, folded }) => sum + Buffer.byteLength(String(body)) + (folded?.length() ?? 0),
    0,
  );

describe('the events of a call that is over', () => {
  it('become one document of a fifth of the size, and are read as before', async () => {
    const { id, events } = await finished();
    const before = { documents: (await documents(id)).length, bytes: await bytes(id) };
    await sweep();
    expect(before.documents).toBe(18);
    expect(await documents(id)).toHaveLength(1);
    expect(await bytes(id)).toBeLessThan(before.bytes / 5);
    expect(await read(id)).toEqual(events);
    expect(await read(id, 12)).toEqual(events.slice(12));
    expect(await read(id, 18)).toEqual([]);
    expect(await records.calls.findById(id).lean()).toMatchObject({ fold_due_at: null });
  });

  it('are each there once where folding was cut short, and are folded then', async () => {
    const { id, events } = await finished();
    const single = await records.events.find({ call_id: id }).lean();
    await records.events.collection.insertOne((await foldedEvents(single, clock.now())) as never);
    await records.events.deleteOne({ _id: callEventId(id, 3) });
    expect(await read(id)).toEqual(events);
    clock.advance(1000);
    await sweep();
    expect(await documents(id)).toHaveLength(1);
    expect(await read(id)).toEqual(events);
  });

  it('take in what comes late', async () => {
    const { id, events } = await finished();
    await sweep();
    const late = eventOf(id, agentMessage(9, 'Goodbye.'), 19);
    await insert([late, events[4]!]);
    expect(await read(id)).toEqual([...events, late]);
    expect(await read(id, 18)).toEqual([late]);
    clock.advance(1000);
    await records.calls.updateOne({ _id: id }, { $set: { fold_due_at: new Date(clock.now()) } });
    await sweep();
    expect(await documents(id)).toHaveLength(1);
    expect(await read(id)).toEqual([...events, late]);
  });

  it('are folded by one of two that want to', async () => {
    const { id, events } = await finished();
    await Promise.all([sweep(), sweep(), sweep()]);
    expect(await documents(id)).toHaveLength(1);
    expect(await read(id)).toEqual(events);
  });

  it('stay single while something of the call is still to be done or published', async () => {
    const { id } = await finished({ publish_due_at: new Date(clock.now()) });
    await sweep();
    expect(await documents(id)).toHaveLength(18);
    await records.calls.updateOne({ _id: id }, { $set: { publish_due_at: null } });
    clock.advance(60_000);
    await sweep();
    expect(await documents(id)).toHaveLength(1);
  });

  it('that cannot be folded hold up no other call', async () => {
    const harmed = await finished();
    const unreadable = { kind: FOLDED, folded: Buffer.from('not compressed') };
    await records.events.collection.updateOne({ call_id: harmed.id, seq: 1 }, { $set: unreadable });
    clock.advance(1);
    const { id } = await finished();
    await expect(sweep()).rejects.toThrow('incorrect header');
    expect(await documents(id)).toHaveLength(1);
  });

  it('are all folded by one sweep, however many calls are due, unless it takes half a minute', async () => {
    const due = { tenant_id: tenant, fold_due_at: { $ne: null } };
    const many = (count: number) =>
      records.calls.collection.insertMany(
        Array.from({ length: count }, () => ({
          _id: newId(),
          tenant_id: tenant,
          status: 'COMPLETED',
          fold_due_at: new Date(clock.now()),
        })) as never[],
      );
    await many(600);
    await sweep();
    expect(await records.calls.countDocuments(due)).toBe(0);
    await many(600);
    let reads = 0;
    const slow = { now: () => clock.now(), monotonic: () => reads++ * 300 };
    await new EventFolding({ ...records, clock: slow }).sweep();
    const left = await records.calls.countDocuments(due);
    expect([left > 450, left < 550]).toEqual([true, true]);
  });
});
