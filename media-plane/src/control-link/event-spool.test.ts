import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventSpool } from './event-spool.js';

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
    new EventSpool({ dir, clock: new ScriptedClock(), log: silentLog, onEvent });

  it("numbers each call's events from one, and tells that there is something to send", () => {
    let told = 0;
    const spool = open(() => told++);
    const [a, b] = [newId(), newId()];
    spool.append(a, NOTICE);
    spool.append(b, NOTICE);
    spool.append(a, NOTICE);
    expect(spool.pending(10).map(({ call_id, seq }) => [call_id, seq])).toEqual([
      [a, 1],
      [a, 2],
      [b, 1],
    ]);
    expect(told).toBe(3);
  });

  it('forgets what was accepted, and removes the file when the call has ended', () => {
    const spool = open();
    const call = newId();
    spool.append(call, NOTICE);
    spool.append(call, ENDED);
    spool.forget(call, 1);
    expect(readdirSync(dir)).toHaveLength(1);
    spool.forget(call, 2);
    expect(readdirSync(dir)).toHaveLength(0);
    expect(spool.pendingCount).toBe(0);
  });

  it('keeps the file of a live call, though everything was accepted', () => {
    const spool = open();
    const call = newId();
    spool.append(call, NOTICE);
    spool.forget(call, 1);
    expect(existsSync(join(dir, `${call}.events.ndjson`))).toBe(true);
    spool.append(call, NOTICE);
    expect(spool.pending(10).map(({ seq }) => seq)).toEqual([2]);
  });

  it('gives a killed process’s events to its successor, without the line that the kill cut off', () => {
    const call = newId();
    const killed = open();
    killed.append(call, NOTICE);
    killed.append(call, NOTICE);
    appendFileSync(join(dir, `${call}.events.ndjson`), '{"kind":"noti');
    const successor = open();
    expect(successor.pending(10).map(({ seq }) => seq)).toEqual([1, 2]);
    successor.forget(call, 1);
    successor.forget(call, 2);
    expect(readdirSync(dir)).toHaveLength(0);
  });

  it('bounds what it hands out at once', () => {
    const spool = open();
    const call = newId();
    for (let i = 0; i < 10; i++) spool.append(call, NOTICE);
    expect(spool.pending(4).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });
});
