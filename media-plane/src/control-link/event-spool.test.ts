import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskClient } from '../disk/disk-client.js';
import { EventSpool } from './event-spool.js';

const disk = new DiskClient();

const ENDED = {
  kind: 'ended',
  end_reason: 'caller_hangup',
  duration_ms: 1000,
  error_code: null,
  error_message: null,
  usage: {
    stt: { provider: 'local', model: '', audio_ms: 0 },
    llm: { provider: 'local', model: '', input_tokens: 0, output_tokens: 0 },
    tts: { provider: 'local', model: '', characters: 0 },
  },
  has_recording: false,
} as const;

const NOTICE = { kind: 'notice', code: 'c', message: 'm' } as const;

describe('the event spool', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'spool-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));
  const open = (onEvent = () => {}) =>
    new EventSpool({ dir, clock: new ScriptedClock(), disk, log: silentLog, onEvent });

  const openFailing = (onUnwritable: (error: unknown) => void = () => {}, maxUnwritten?: number) =>
    new EventSpool({
      dir,
      clock: new ScriptedClock(),
      disk,
      log: silentLog,
      onEvent: () => {},
      onUnwritable,
      ...(maxUnwritten === undefined ? {} : { maxUnwritten }),
    });

  it("numbers each call's events from one, and notifies the sender of each that can be sent", async () => {
    let notified = 0;
    const spool = open(() => notified++);
    const [a, b] = [newId(), newId()];
    spool.append(a, NOTICE);
    spool.append(b, NOTICE);
    expect(spool.append(a, NOTICE).seq).toBe(2);
    // None is sent before it is on the disk.
    expect([notified, spool.pending(10), spool.pendingCount, spool.unwrittenCount]).toEqual([0, [], 3, 0]);
    await spool.settled();
    expect(spool.pending(10).map(({ call_id, seq }) => [call_id, seq])).toEqual([
      [a, 1],
      [a, 2],
      [b, 1],
    ]);
    expect(notified).toBe(3);
  });

  it('forgets what was accepted, and removes the file when the call has ended', async () => {
    const spool = open();
    const call = newId();
    spool.append(call, NOTICE);
    spool.append(call, ENDED);
    await spool.settled();
    spool.forget(call, 1);
    await spool.settled();
    expect(readdirSync(dir)).toHaveLength(1);
    spool.forget(call, 2);
    expect(spool.pendingCount).toBe(0);
    await spool.close();
    expect(readdirSync(dir)).toHaveLength(0);
  });

  it('keeps what comes of a call while its file is being removed', async () => {
    const spool = open();
    const call = newId();
    spool.append(call, ENDED);
    await spool.settled();
    spool.forget(call, 1);
    spool.append(call, NOTICE);
    await spool.close();
    expect(open().pending(10)).toMatchObject([{ call_id: call, kind: 'notice' }]);
  });

  it('keeps the file of a live call, though everything was accepted', async () => {
    const spool = open();
    const call = newId();
    spool.append(call, NOTICE);
    await spool.settled();
    spool.forget(call, 1);
    await spool.settled();
    expect(existsSync(join(dir, `${call}.events.ndjson`))).toBe(true);
    spool.append(call, NOTICE);
    await spool.settled();
    expect(spool.pending(10).map(({ seq }) => seq)).toEqual([2]);
  });

  it('gives a killed process’s events to its successor, without the line that the kill cut off', async () => {
    const call = newId();
    const killed = open();
    killed.append(call, NOTICE);
    killed.append(call, NOTICE);
    await killed.settled();
    appendFileSync(join(dir, `${call}.events.ndjson`), '{"kind":"noti');
    const successor = open();
    expect(successor.pending(10).map(({ seq }) => seq)).toEqual([1, 2]);
    successor.forget(call, 1);
    successor.forget(call, 2);
    await successor.close();
    expect(readdirSync(dir)).toHaveLength(0);
  });

  it('bounds what it hands out at once', async () => {
    const spool = open();
    const call = newId();
    for (let i = 0; i < 10; i++) spool.append(call, NOTICE);
    await spool.settled();
    expect(spool.pending(4).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('writes what comes of a call together while the disk is slow, and a successor reads all of it', async () => {
    const spool = open();
    const calls = Array.from({ length: 20 }, () => newId());
    for (let i = 0; i < 100; i++) for (const call of calls) spool.append(call, NOTICE);
    for (const call of calls) spool.append(call, ENDED);
    await spool.settled();
    const successor = open();
    for (const call of calls) {
      expect([...successor.pendingOf(call)].map(({ seq }) => seq)).toEqual(
        Array.from({ length: 101 }, (_, index) => index + 1),
      );
    }
  });

  describe('on a disk that is full', () => {
    /** Every write to it fails with ENOSPC. */
    const fill = (call: string) => symlinkSync('/dev/full', join(dir, `${call}.events.ndjson`));
    const makeRoom = (call: string) => rmSync(join(dir, `${call}.events.ndjson`));
    const onDisk = (call: string) =>
      readFileSync(join(dir, `${call}.events.ndjson`), 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { seq: number }).seq);

    it('keeps events in memory, says so, and writes them in order when there is room', async () => {
      const failures: unknown[] = [];
      const call = newId();
      const spool = openFailing((error) => failures.push(error));
      fill(call);
      spool.append(call, NOTICE);
      await spool.settled();
      spool.append(call, NOTICE);
      await spool.settled();
      expect(failures.map(String)).toEqual([expect.stringContaining('ENOSPC')]);
      expect(spool.pending(10).map(({ seq }) => seq)).toEqual([1, 2]);
      expect(spool.unwrittenCount).toBe(2);
      expect(await spool.catchUp()).toBe(false);
      makeRoom(call);
      expect(await spool.catchUp()).toBe(true);
      spool.append(call, ENDED);
      await spool.settled();
      expect(onDisk(call)).toEqual([1, 2, 3]);
      expect(spool.unwrittenCount).toBe(0);
      expect(
        open()
          .pending(10)
          .map(({ seq }) => seq),
      ).toEqual([1, 2, 3]);
    });

    it('writes no more what was accepted meanwhile, and leaves no file of a call that is over', async () => {
      const call = newId();
      const spool = openFailing();
      fill(call);
      spool.append(call, NOTICE);
      spool.append(call, ENDED);
      await spool.settled();
      spool.forget(call, 1);
      makeRoom(call);
      expect(await spool.catchUp()).toBe(true);
      expect(onDisk(call)).toEqual([2]);
      spool.forget(call, 2);
      await spool.close();
      expect(readdirSync(dir)).toEqual([]);
    });

    it('keeps a bounded number, and the end of every call beyond it', async () => {
      const call = newId();
      const spool = openFailing(() => {}, 3);
      fill(call);
      for (let i = 0; i < 10; i++) spool.append(call, NOTICE);
      spool.append(call, ENDED);
      await spool.settled();
      expect(spool.pending(100).map(({ kind, seq }) => [kind, seq])).toEqual([
        ['notice', 1],
        ['notice', 2],
        ['notice', 3],
        ['ended', 4],
      ]);
      expect(spool.droppedCount).toBe(7);
    });

    it('leaves no torn line where a write came half through', async () => {
      const call = newId();
      const spool = openFailing();
      spool.append(call, NOTICE);
      await spool.settled();
      const path = join(dir, `${call}.events.ndjson`);
      const { length } = readFileSync(path);
      await limitFileSize(length + 20, () => {
        spool.append(call, NOTICE);
        return spool.settled();
      });
      expect(spool.unwrittenCount).toBe(1);
      expect(await spool.catchUp()).toBe(true);
      expect(onDisk(call)).toEqual([1, 2]);
    });
  });
});

/** Runs `work` with a limit on the size of files, in bytes: a write beyond it comes half through, then fails. */
async function limitFileSize(bytes: number, work: () => Promise<void>): Promise<void> {
  const limit = (soft: string) =>
    execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${soft}:`], { stdio: 'ignore' });
  limit(String(bytes));
  try {
    await work();
  } finally {
    limit('unlimited');
  }
}
