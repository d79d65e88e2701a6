import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { agentSnapshot } from '@voice/shared/contracts/agent';
import { type CallEvent, type CallEventBody, callEvent } from '@voice/shared/contracts/call-events';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import { Registry } from 'prom-client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toServiceError } from '../../platform/http/errors.js';
import { SEALED_COLUMNS } from '../../platform/secret-rotation/sealed-columns.js';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { ErasedCalls } from '../erasure/erased-calls.js';
import { EventFolding } from '../folding/event-folding.js';
import { DiskStorage } from '../post-call/disk-storage.js';
import type { ObjectStorage } from '../post-call/object-storage.js';
import { callEventId } from '../record/call-event-model.js';
import { sealHandoffs } from '../record/call-handoffs.js';
import { foldedEvents } from '../record/folded-events.js';
import { freezeAgent } from '../record/frozen-agent.js';
import type { CallDocument } from '../record/model.js';
import { CallRecords } from '../record/records.js';
import { agentMessage, ended, mediaStarted } from '../testing/events.js';
import { CallArchive, type CallArchiveOptions } from './call-archive.js';
import { CallArchiving } from './call-archiving.js';

const LOCAL = { provider: 'local', model: '', params: {} };
const CREATED_AT = new Date('2026-03-04T23:59:59Z');
const BODIES: readonly CallEventBody[] = [
  mediaStarted('CA0123456789abcdef0123456789abcdef'),
  agentMessage(0, 'Shall I book Tuesday for you?'),
  ended('caller_hangup', 23_000),
];
const AGENT = agentSnapshot.parse({
  id: newId(),
  name: 'Ann',
  pipeline_type: 'cascaded',
  system_prompt: 'Book it.',
  first_message: '',
  language: 'en-US',
  voice_config: { stt: LOCAL, llm: LOCAL, tts: LOCAL },
  tools: [],
  turn_taking: {},
  max_duration_seconds: 600,
  silence_timeout_seconds: 10,
  voicemail: {},
  recording: {},
});
const secrets = new SecretBox('a key of at least thirty-two characters');

let store: TestStore;
let directory: string;
let disk: DiskStorage;
let records: CallRecords;
let place: CallArchive;
let clock: ScriptedClock;
let tenant: string;
/** What is yet to be done before the replica that archives is killed. */
let left: number;

beforeAll(async () => {
  store = await startTestStore();
  directory = await mkdtemp(join(tmpdir(), 'archive-test-'));
  disk = new DiskStorage(directory);
  return async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  };
});
beforeEach(async () => {
  clock = new ScriptedClock();
  tenant = newId();
  left = Number.POSITIVE_INFINITY;
  records = new CallRecords({
    store: await store.connect(),
    secrets,
    readArchived: (row) => place.eventsOf(row),
  });
  place = archiveOf();
});

const archiveOf = (options: Pick<CallArchiveOptions, 'limitBytes'> = {}) =>
  new CallArchive({
    calls: records.calls,
    secrets,
    storage: mortal(disk) as ObjectStorage,
    clock,
    metrics: new Registry(),
    ...options,
  });

const WRITES: readonly PropertyKey[] = ['updateOne', 'insertOne', 'deleteMany', 'put', 'open'];

/** The same, which ends before a write once enough of them were made. */
function mortal<T extends object>(target: T): T {
  const step = () => {
    if (left-- <= 0) throw new Error('killed');
  };
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name) as unknown;
      if (name === 'collection') return mortal(value as object);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...args: unknown[]) => PromiseLike<unknown>;
      if (!WRITES.includes(name)) return method;
      return async (...args: unknown[]) => {
        step();
        return method(...args);
      };
    },
  });
}

const archiving = () =>
  new CallArchiving({
    records: {
      calls: mortal(records.calls),
      events: mortal(records.events),
      transcripts: mortal(records.transcripts),
    },
    archive: place,
    secrets,
    clock,
  });
const stored = async (id: string) => (await records.calls.findById(id).lean<CallDocument>())!;
const archive = async (id: string) => archiving().archive(await stored(id));
const read = (id: string, after = 0) => records.eventsAfter(asTenantId(tenant), id, after);
const documents = (id: string) => records.events.collection.find({ call_id: id }).toArray();
const eventOf = (id: string, body: CallEventBody, seq: number): CallEvent =>
  callEvent.parse({ ...body, call_id: id, seq, at: clock.now() + seq });
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

/** A call that is over in all respects. */
async function finished({ folded = true, ...fields }: { folded?: boolean } & Record<string, unknown> = {}) {
  const id = newId();
  const key = { _id: id, tenant_id: tenant };
  const events = BODIES.map((body, at) => eventOf(id, body, at + 1));
  const rows = events.map(rowOf);
  await records.events.collection.insertMany(
    (folded ? [await foldedEvents(rows, clock.now())] : rows) as never[],
  );
  await records.transcripts.collection.insertOne({ ...key, turns_count: 1, turns: '[{"index":0}]' } as never);
  const granted = [{ tool_call_id: 't', from_agent_id: AGENT.id, reason: '', agent: AGENT }];
  await records.calls.collection.insertOne({
    ...key,
    created_at: CREATED_AT,
    status: 'COMPLETED',
    agent_snapshot: freezeAgent(secrets, key, AGENT),
    handoffs: sealHandoffs(secrets, key, granted),
    analysis_settings: '{"scorecard":[]}',
    variables: '{"first_name":"Wilhelmina"}',
    timeline: [],
    ...fields,
  } as never);
  return { id, events };
}

describe('a call that is archived', () => {
  it('stays as it is where the archive would be too large, which no later try would mend', async () => {
    place = archiveOf({ limitBytes: 100 });
    const { id } = await finished();
    const before = await documents(id);
    const refused = await archive(id).catch((error: unknown) => error);
    expect(refused).toMatchObject({ message: expect.stringMatching(/bytes; expected 100 at most/) });
    expect(toServiceError(refused).retryable).toBe(false);
    expect(await documents(id)).toEqual(before);
    const call = await stored(id);
    expect(call.archived_at ?? null).toBeNull();
    expect(call.variables).toContain('Wilhelmina');
  });

  it('leaves small documents behind, and its events are read as before', async () => {
    const { id, events } = await finished();
    expect(await archive(id)).toBe(true);
    const call = await stored(id);
    expect(call).toMatchObject({
      agent_snapshot: '',
      handoffs: null,
      analysis_settings: null,
      variables: '{}',
      archived_at: new Date(clock.now()),
    });
    expect(await documents(id)).toEqual([
      expect.objectContaining({ kind: 'folded', archived: true, seq: 3 }),
    ]);
    expect(JSON.stringify(await documents(id))).not.toContain('Tuesday');
    expect(await records.transcripts.findById(id).lean()).toMatchObject({ turns: '', turns_count: 1 });
    expect(await read(id)).toEqual(events);
    expect(await read(id, 2)).toEqual(events.slice(2));
    expect(await read(id, 3)).toEqual([]);
    const { call: kept, turns } = await place.read(call as never);
    expect(JSON.parse(kept.agent_snapshot!)).toEqual(AGENT);
    expect(JSON.parse(kept.handoffs!)).toMatchObject([{ agent: { name: 'Ann' } }]);
    expect([kept.variables, turns]).toEqual(['{"first_name":"Wilhelmina"}', '[{"index":0}]']);
  });

  it('is one object by tenant and day, which nobody reads without its document', async () => {
    const [one, other] = [await finished(), await finished()];
    await archive(one.id);
    await archive(other.id);
    const day = join(directory, 'archive', tenant, '2026-03-04');
    const names = await readdir(day);
    expect(names.map((name) => name.slice(0, 36)).sort()).toEqual([one.id, other.id].sort());
    const { archive_key } = await stored(other.id);
    await records.calls.updateOne({ _id: one.id }, { $set: { archive_key } });
    await expect(read(one.id)).rejects.toMatchObject({ code: 'storage_unavailable', retryable: true });
    expect(await records.eventsAfter(asTenantId(newId()), other.id, 0)).toEqual([]);
  });

  it('has its key where a change of SECRETS_KEY seals it anew', async () => {
    const { id } = await finished();
    await archive(id);
    const call = await stored(id);
    const column = SEALED_COLUMNS.find(({ field }) => field === 'archive_secret')!;
    expect(secrets.openBytes(column.purpose({ ...call }), call.archive_secret!)).toHaveLength(32);
  });

  it.each([true, false])('is whole wherever archiving is killed (events folded: %s)', async (folded) => {
    // The first four steps are the same for both.
    let steps = folded ? 0 : 4;
    for (; ; steps++) {
      const { id, events } = await finished({ folded });
      left = steps;
      const outcome = await archive(id).catch((error: Error) => error);
      left = Number.POSITIVE_INFINITY;
      expect(await read(id)).toEqual(events);
      const { turns } = (await records.transcripts.findById(id).lean())!;
      const call = await stored(id);
      const whole = call.archived_at ? (await place.read(call as never)).turns : turns;
      expect(whole).toBe('[{"index":0}]');

      expect(await archive(id)).toBe(true);
      expect(await documents(id)).toEqual([expect.objectContaining({ archived: true })]);
      expect(await records.transcripts.findById(id).lean()).toMatchObject({ turns: '' });
      expect(await read(id)).toEqual(events);
      const names = await readdir(join(directory, 'archive', tenant, '2026-03-04'));
      expect(names.filter((name) => name.startsWith(id))).toHaveLength(1);
      if (outcome === true) break;
    }
    // Place, object, the object read back, call, events (what stands for them, the single ones), transcript.
    expect(steps).toBe(folded ? 6 : 7);
  });

  it('is archived by one of two that want to', async () => {
    const { id, events } = await finished();
    const call = await stored(id);
    const outcomes = await Promise.all([archiving().archive(call), archiving().archive(call)]);
    expect(outcomes).toContain(true);
    expect(await archive(id)).toBe(true);
    expect(await read(id)).toEqual(events);
  });

  it('is not harmed by a try that stood still and goes on', async () => {
    const { id, events } = await finished();
    const before = await stored(id);
    const slow = new CallArchiving({
      records: {
        calls: records.calls,
        events: records.events,
        transcripts: {
          // While it reads, another takes over.
          findOne: (...query: never[]) => ({
            lean: async () => {
              await archive(id);
              return records.transcripts.findOne(...query).lean();
            },
          }),
        } as never,
      },
      archive: place,
      secrets,
      clock,
    });
    expect(await slow.archive(before)).toBe(false);
    expect(await archive(id)).toBe(true);
    expect(await read(id)).toEqual(events);
    const { agent_snapshot } = (await place.read((await stored(id)) as never)).call;
    expect(agent_snapshot).toBe(JSON.stringify(AGENT));
    expect(await readdir(join(directory, 'archive', tenant, '2026-03-04'))).toHaveLength(1);
  });

  it('keeps what comes late beside it', async () => {
    const { id, events } = await finished();
    await archive(id);
    const late = eventOf(id, agentMessage(1, 'Goodbye.'), 4);
    await records.events.collection.insertMany([rowOf(late), rowOf(events[1]!)] as never[]);
    await records.calls.updateOne({ _id: id }, { $set: { fold_due_at: new Date(clock.now()) } });
    await new EventFolding({ ...records, clock }).sweep();
    expect(await archive(id)).toBe(true);
    expect((await documents(id)).map(({ seq }) => seq).sort()).toEqual([3, 4]);
    expect(await read(id)).toEqual([...events, late]);
    expect(await read(id, 3)).toEqual([late]);
  });

  it.each([
    { status: 'IN_PROGRESS' },
    { post_call_due_at: new Date(1) },
    { publish_due_at: new Date(1) },
    { spool_due_at: new Date(1) },
    { fold_due_at: new Date(1) },
    { transfer_in_progress: true },
  ])('is not one with something left to do: %o', async (fields) => {
    const { id } = await finished(fields);
    expect(await archive(id)).toBe(false);
    expect(await stored(id)).toMatchObject({ variables: '{"first_name":"Wilhelmina"}' });
  });

  it('is not one whose erasure is asked for meanwhile', async () => {
    const { id } = await finished();
    const before = await stored(id);
    await records.calls.updateOne({ _id: id }, { $set: { erasing_at: new Date(1) } });
    expect(await archiving().archive(before)).toBe(false);
    expect(await archive(id)).toBe(true);
    expect(await stored(id)).not.toHaveProperty('archived_at');
  });
});

describe('what was said in a call, erased alone', () => {
  const erased = () =>
    new ErasedCalls({
      records,
      archive: place,
      transfers: { updateMany: async () => {} } as never,
      audit: { erase: async () => {} } as never,
      uploads: { eraseRecording: async () => {}, eraseDecisionLog: async () => {} },
      clock,
    });
  /** Holds that nothing of it is anywhere, and that the rest is. */
  const expectSilence = async (id: string) => {
    expect(await read(id)).toEqual([]);
    const call = await stored(id);
    expect(call).toMatchObject({ transcript_erased_at: expect.any(Date), archived_at: expect.any(Date) });
    expect(await place.read(call as never)).toMatchObject({
      call: { agent_snapshot: JSON.stringify(AGENT) },
      turns: null,
      events: [],
    });
    const names = await readdir(join(directory, 'archive', tenant, '2026-03-04'));
    expect(names).toEqual([call.archive_key!.split('/').at(-1)]);
  };

  it('is gone from the archive, which keeps the rest', async () => {
    const { id } = await finished();
    await archive(id);
    expect(await read(id)).toHaveLength(3);
    await erased().eraseTranscript(await stored(id));
    await expectSilence(id);
  });

  it('is in no version of an object that the store still has a key of', async () => {
    const { id } = await finished();
    await archive(id);
    const before = await stored(id);
    const { content } = (await disk.open(before.archive_key!))!;
    const version = await buffer(content);
    await erased().eraseTranscript(before);
    const after = await stored(id);
    expect(after.archive_key).not.toBe(before.archive_key);
    await expect(disk.open(before.archive_key!)).resolves.toBeNull();
    // As a bucket that keeps versions brings it back.
    await disk.put(after.archive_key!, Readable.from([version]), 1_000_000);
    await expect(place.read(after as never)).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  it('is gone once where two erase it side by side', async () => {
    const { id } = await finished();
    await archive(id);
    const before = await stored(id);
    await Promise.allSettled([erased().eraseTranscript(before), erased().eraseTranscript(before)]);
    await erased().eraseTranscript(await stored(id));
    await expectSilence(id);
  });

  it('is gone from an archive that is not whole, which is begun anew', async () => {
    const { id } = await finished();
    left = 3;
    await expect(archive(id)).rejects.toThrow('killed');
    left = Number.POSITIVE_INFINITY;
    const { archive_key } = await stored(id);
    await erased().eraseTranscript(await stored(id));
    expect(await stored(id)).toMatchObject({ archive_key: null, archive_secret: null });
    await expect(disk.open(archive_key!)).resolves.toBeNull();
    expect(await archive(id)).toBe(true);
    await expectSilence(id);
  });

  it('is gone where the call is archived meanwhile', async () => {
    const { id } = await finished();
    const before = await stored(id);
    await archive(id);
    await erased().eraseTranscript(before);
    await expectSilence(id);
  });

  it('is not brought back by a reader that had the call before', async () => {
    const { id } = await finished();
    const before = await stored(id);
    await erased().eraseTranscript(before);
    expect(await archiving().archive(before)).toBe(false);
    expect(await archive(id)).toBe(true);
    await expectSilence(id);
  });
});
