import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { type Connection, Schema } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { dryRun } from './dry-run.js';
import { migrate } from './migrate.js';
import type { Migration } from './migration.js';
import { type Hold, LEASE_PACE, LeaseLostError, MigrationLease } from './migration-lease.js';
import { type LeaseRow, leaseRows, readSteps } from './migration-rows.js';

const COUNT = 25;

const STEPS: readonly Migration[] = [
  {
    number: 1,
    name: 'notes-of-a-mode',
    summary: 'Notes are of a mode.',
    changes: [
      { collection: 'notes', outdated: { mode: { $exists: false } }, update: { $set: { mode: 'live' } } },
      { collection: 'notes', outdated: { words: { $exists: true } }, update: { $rename: { words: 'text' } } },
    ],
    replaces: [{ collection: 'notes', name: 'at_1' }],
    retires: [{ collection: 'notes', name: 'words_1' }],
  },
];

let store: TestStore;
/** Two replicas. */
let first: Connection;
let second: Connection;

async function replica(): Promise<Connection> {
  const connection = await store.connect();
  const schema = new Schema({}, { collection: 'notes', autoIndex: false, autoCreate: false });
  schema.index({ at: 1 }, { expireAfterSeconds: 0 });
  schema.index({ mode: 1, at: -1 });
  connection.model('Note', schema);
  return connection;
}

beforeAll(async () => {
  store = await startTestStore();
  [first, second] = await Promise.all([replica(), replica()]);
});
afterAll(async () => {
  await store?.close();
});
beforeEach(async () => {
  await first.dropDatabase();
  const notes = first.collection<{ _id: number; words: string }>('notes');
  await notes.insertMany(Array.from({ length: COUNT }, (_, n) => ({ _id: n, words: 'ring' })));
  await notes.createIndex({ at: 1 }, { expireAfterSeconds: 3600 });
  await notes.createIndex({ words: 1 });
});

const clock = new ScriptedClock();
const bringUp = (on: Connection, options: Partial<Parameters<typeof migrate>[0]> = {}) =>
  migrate({ store: on, clock, log: silentLog, migrations: STEPS, batchSize: 10, ...options });

const outdated = () =>
  second.collection('notes').countDocuments({ $or: [{ mode: { $exists: false } }, { words: 'ring' }] });
const indexes = async () => (await second.collection('notes').indexes()).map(({ name }) => name).sort();
const lease = () => leaseRows(second).findOne({ _id: 'lease' });
/** As a replica leaves it that died. */
const setLease = (fields: Partial<LeaseRow>) =>
  leaseRows(second).updateOne({ _id: 'lease' }, { $set: fields }, { upsert: true });

async function expectUpToDate(): Promise<void> {
  expect(await outdated()).toBe(0);
  expect(await second.collection('notes').countDocuments({ mode: 'live', text: 'ring' })).toBe(COUNT);
  expect(await indexes()).toEqual(['_id_', 'at_1', 'mode_1_at_-1']);
  const steps = await readSteps(second);
  expect(steps.get(1)).toMatchObject({ changed: 2 * COUNT, done_at: expect.any(Date) });
}

describe('a migration', () => {
  it('changes documents, replaces and retires indexes, and is said before by a dry run', async () => {
    const { text, isUpToDate } = await dryRun(second, STEPS);
    expect(isUpToDate).toBe(false);
    expect(text.split('\n')).toEqual([
      'Step 1 notes-of-a-mode: Notes are of a mode.',
      '  would change 25 documents of notes: {"$set":{"mode":"live"}}.',
      '  would change 25 documents of notes: {"$rename":{"words":"text"}}.',
      '  would drop the index notes.words_1.',
      'Indexes',
      '  would drop notes.at_1, which is in the way: {"at":1} {"expireAfterSeconds":3600}.',
      '  would build notes.at_1: {"at":1} {"expireAfterSeconds":0}.',
      '  would build notes.mode_1_at_-1: {"mode":1,"at":-1}.',
    ]);
    expect(await outdated()).toBe(COUNT);
    await bringUp(first);
    await expectUpToDate();
    const after = await dryRun(second, STEPS);
    expect(after.isUpToDate).toBe(true);
    expect(after.text).toMatch(/ {2}was done on .*\nIndexes\n {2}are as declared\.$/);
  });

  it('is made by one of two replicas that start at once', async () => {
    await Promise.all([bringUp(first), bringUp(second)]);
    await expectUpToDate();
    expect(await lease()).toMatchObject({ holder: null, round: 1 });
  });

  it('goes on where a replica was killed in the middle', async () => {
    const dying = await replica();
    let batches = 0;
    const killed = bringUp(dying, {
      // The connection ends as with its process: the lease is not given back.
      onProgress: () => {
        batches += 1;
        if (batches === 2) void dying.close(true);
      },
    });
    await expect(killed).rejects.toThrow();
    expect((await readSteps(second)).get(1)).toMatchObject({ change: 0, after: 19, changed: 20 });
    expect(await lease()).toMatchObject({ holder: expect.any(String), round: 0 });
    let looks = 0;
    await bringUp(second, {
      onProgress: () => {
        looks += 1;
        // Its lease ends.
        if (looks === 1) void setLease({ until: new Date(0) });
      },
    });
    await expectUpToDate();
  });

  it('takes over from a replica that fell silent, long before its lease lapses', async () => {
    await setLease({ holder: 'dead', until: new Date(Date.now() + 600_000), round: 0, fingerprint: null });
    await bringUp(second, { pace: { ...LEASE_PACE, lookEveryMs: 10, silenceMs: 60 } });
    await expectUpToDate();
    expect(await lease()).toMatchObject({ holder: null, round: 1 });
  });

  it('asks whether it was taken over before each command, where its process may have stood still', async () => {
    const pace = { ...LEASE_PACE, renewEveryMs: 600_000, silenceMs: 0 };
    const { signal } = new AbortController();
    const held = new MigrationLease({ store: first, fingerprint: '', pace, signal, onWait: () => {} });
    const work = async ({ confirm }: Hold) => {
      await confirm();
      await setLease({ holder: 'another' });
      await confirm();
    };
    await expect(held.run(work)).rejects.toThrow(LeaseLostError);
    expect(await lease()).toMatchObject({ holder: 'another', round: 0 });
  });

  it('stops between two batches when the start is given up, and leaves the lease free', async () => {
    const stop = new AbortController();
    await expect(bringUp(first, { signal: stop.signal, onProgress: () => stop.abort() })).rejects.toThrow();
    expect(await lease()).toMatchObject({ holder: null });
    await bringUp(second);
    await expectUpToDate();
  });

  it('gives way to a replica that took it for dead, and waits for it', async () => {
    let progress = 0;
    await bringUp(first, {
      onProgress: () => {
        progress += 1;
        if (progress === 1) void setLease({ holder: 'another', until: new Date(0) });
      },
    });
    expect(await lease()).toMatchObject({ holder: null, round: 1 });
    await expectUpToDate();
  });

  it('leaves the indexes of a newer version to an older one', async () => {
    await bringUp(first);
    await second.collection('notes').dropIndex('at_1');
    await second.collection('notes').createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await bringUp(second, { migrations: [...STEPS, { number: 2, name: 'later', summary: 'Later.' }] });
    await second.collection('notes').dropIndex('at_1');
    await second.collection('notes').createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await bringUp(first);
    expect(await first.collection('notes').indexes()).toContainEqual(
      expect.objectContaining({ name: 'at_1', expireAfterSeconds: 60 }),
    );
  });

  it('notes every step as done in a new store', async () => {
    await first.dropDatabase();
    await bringUp(first);
    expect((await readSteps(second)).get(1)).toMatchObject({ changed: 0, done_at: expect.any(Date) });
  });
});
