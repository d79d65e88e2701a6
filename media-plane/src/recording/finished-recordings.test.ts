import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FinishedRecordings } from './finished-recordings.js';

let dir: string;
let clock: ScriptedClock;
/** Raw recordings that are being encoded, and how each ends. */
let encoding: {
  readonly rawPath: string;
  readonly end: (error?: Error) => void;
  readonly progress: (encodedMs: number) => void;
}[];
let encoded: string[];
/** What was logged as an error, in order. */
let errors: string[];
/** Calls whose raw recordings are gone. */
let removed: string[];
/** Calls of which a predecessor's MP3 is still to be uploaded. */
let taken: Set<string>;
let recordings: FinishedRecordings;

const failed = (code: string) => new ServiceError({ code, status: 500, message: 'on purpose' });
const waiting = () => readdirSync(join(dir, 'waiting')).sort();

function open(): FinishedRecordings {
  return new FinishedRecordings({
    dir,
    clock,
    log: { ...silentLog, error: (...[, message]) => void errors.push(String(message)) },
    encode: (rawPath, mp3Path, progress) =>
      new Promise((resolve, reject) => {
        writeFileSync(mp3Path, 'half');
        encoding.push({
          rawPath,
          progress,
          end(error) {
            if (error) reject(error);
            else resolve({ durationMs: 1000, bytes: 4 });
          },
        });
      }),
    onEncoded: async (callId, mp3Path) => {
      encoded.push(`${callId} ${readFileSync(mp3Path, 'utf8')}`);
      rmSync(mp3Path);
    },
    onRemoved: (callId) => removed.push(callId),
    isEncoded: (callId) => taken.has(callId),
  });
}

/** Moves time on, and lets what has become possible happen. */
async function settle(ms = 0): Promise<void> {
  clock.advance(ms);
  for (let n = 0; n < 4; n++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    clock.advance(0);
  }
}

/** Lets the disk, and what then becomes possible, take its time until the condition holds. */
async function until(condition: () => boolean): Promise<void> {
  await vi.waitUntil(condition, { timeout: 60_000, interval: 1 });
  await settle();
}

const encodings = (count: number) => until(() => encoding.length === count);

/** Fails the encoding that runs, and waits until that was noted. */
async function failsAs(code: string, which = encoding.at(-1)!): Promise<void> {
  const before = errors.length;
  which.end(failed(code));
  await until(() => errors.length > before);
}

/** A call that was recorded and is over. */
async function endedCall(): Promise<string> {
  const callId = newId();
  writeFileSync(recordings.livePath(callId), 'raw');
  recordings.ended(callId, Promise.resolve());
  await until(() => recordings.pendingCalls().includes(callId));
  return callId;
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'finished-'));
  clock = new ScriptedClock();
  encoding = [];
  errors = [];
  encoded = [];
  removed = [];
  taken = new Set();
  recordings = open();
});
afterEach(() => {
  recordings.stop();
  rmSync(dir, { recursive: true });
});

it('encodes one recording at a time, and removes what was encoded', async () => {
  const calls = [await endedCall(), await endedCall()];
  expect(encoding).toHaveLength(1);
  encoding[0]!.end();
  await encodings(2);
  encoding[1]!.end();
  await settle();
  expect(encoded.sort()).toEqual(calls.map((callId) => `${callId} half`).sort());
  await expect.poll(() => removed.sort()).toEqual(calls.sort());
  expect(waiting()).toEqual([]);
});

it('returns that a raw recording is being removed until it is gone', async () => {
  const callId = await endedCall();
  encoding[0]!.end();
  for (let n = 0; n < 8; n++) await Promise.resolve();
  expect([encoded, recordings.isRemoving(callId), removed]).toEqual([[`${callId} half`], true, []]);
  await expect.poll(() => removed).toEqual([callId]);
  expect([recordings.isRemoving(callId), waiting()]).toEqual([false, []]);
});

it('encodes nothing anew of which a killed predecessor has left the MP3', async () => {
  const [done, left] = [await endedCall(), await endedCall()];
  recordings.stop();
  taken.add(done);
  const successor = open();
  expect(waiting().filter((name) => name.endsWith('.recording'))).toEqual([`${left}.recording`]);
  successor.stop();
});

it('counts how much was encoded, and nothing twice of what is encoded again', async () => {
  await endedCall();
  encoding[0]!.progress(10_000);
  encoding[0]!.progress(20_000);
  await failsAs('recording_failed');
  await settle(500);
  encoding[1]!.progress(10_000);
  encoding[1]!.progress(20_000);
  expect(recordings.encodedMs).toBe(20_000);
  encoding[1]!.progress(30_000);
  expect(recordings.encodedMs).toBe(30_000);
});

it('leaves live calls alone', async () => {
  writeFileSync(recordings.livePath(newId()), 'raw');
  recordings.start();
  await settle(1000);
  expect(encoding).toEqual([]);
});

it('keeps the raw recording when encoding fails, and tries again', async () => {
  const callId = await endedCall();
  await failsAs('recording_failed');
  expect(waiting()).toEqual([`${callId}.recording`]);
  await settle(500);
  expect(encoding).toHaveLength(2);
  encoding[1]!.end();
  await settle();
  expect(encoded).toHaveLength(1);
});

it('goes on with the next when one cannot be encoded, and waits longer each time', async () => {
  const bad = await endedCall();
  const good = await endedCall();
  for (const waitMs of [500, 1000, 2000]) {
    await failsAs('recording_failed');
    if (waitMs === 500) {
      expect(encoding.at(-1)!.rawPath).toContain(encoding[0]!.rawPath.includes(bad) ? good : bad);
      encoding.at(-1)!.end();
      await settle();
      expect(encoded).toHaveLength(1);
    }
    const before = encoding.length;
    await settle(waitMs - 1);
    expect(encoding).toHaveLength(before);
    await settle(1);
    expect(encoding).toHaveLength(before + 1);
  }
});

it('encodes a new recording at once while one that failed waits for its next try', async () => {
  await endedCall();
  for (const waitMs of [500, 1000]) {
    await failsAs('recording_failed');
    await settle(waitMs);
  }
  await failsAs('recording_failed');
  const next = await endedCall();
  expect(encoding).toHaveLength(4);
  expect(encoding[3]!.rawPath).toContain(next);
  encoding[3]!.end();
  await settle();
  // The other one's wait of 2,000 ms is no longer than it was.
  await settle(2000);
  expect(encoding).toHaveLength(5);
});

it('bears a folder that cannot be read for a while', async () => {
  await endedCall();
  const [first] = encoding;
  await endedCall();
  renameSync(join(dir, 'waiting'), join(dir, 'away'));
  await failsAs('recording_failed', first);
  await until(() => errors.length === 2);
  renameSync(join(dir, 'away'), join(dir, 'waiting'));
  await settle(60_000);
  expect(encoding).toHaveLength(2);
});

it('gives up a raw recording that somebody has removed', async () => {
  await endedCall();
  rmSync(encoding[0]!.rawPath);
  await failsAs('recording_failed');
  expect(recordings.pendingCount).toBe(0);
});

it('puts aside what cannot be read, and goes on with the next', async () => {
  const first = await endedCall();
  await endedCall();
  const [unreadable] = encoding;
  await failsAs('recording_unreadable', unreadable);
  expect(existsSync(`${unreadable!.rawPath}.unreadable`)).toBe(true);
  expect(encoding).toHaveLength(2);
  expect(first).toBeDefined();
});

it('starts anew with what a killed predecessor left, live calls included', async () => {
  const live = newId();
  writeFileSync(recordings.livePath(live), 'raw');
  const ended = await endedCall();
  recordings.stop();
  const successor = open();
  expect(waiting()).toEqual([`${ended}.recording`, `${live}.recording`].sort());
  successor.start();
  await settle();
  expect(encoding).toHaveLength(2);
  successor.stop();
});

it('flushes calls whose recorders are still writing, and gives up when there is no more time', async () => {
  const callId = newId();
  writeFileSync(recordings.livePath(callId), 'raw');
  let written = () => {};
  recordings.ended(
    callId,
    new Promise<void>((resolve) => {
      written = resolve;
    }),
  );
  let flushed = false;
  const flushing = recordings.flush(new AbortController().signal).then(() => {
    flushed = true;
  });
  await settle(100);
  expect(flushed).toBe(false);
  written();
  await encodings(1);
  encoding[0]!.end();
  await flushing;
  expect(encoded).toHaveLength(1);

  await endedCall();
  const noTime = new AbortController();
  const given = recordings.flush(noTime.signal);
  noTime.abort();
  await given;
  expect(waiting().some((name) => name.endsWith('.recording'))).toBe(true);
});

it('bears a raw recording that cannot be moved, and goes on with the next', async () => {
  recordings.ended(newId(), Promise.resolve());
  await until(() => errors.length === 1);
  const next = await endedCall();
  expect(encoding.map(({ rawPath }) => rawPath)).toEqual([expect.stringContaining(next)]);
});
