import { PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { beforeEach, describe, expect, it } from 'vitest';
import { ProtocolViolation } from '../codec.js';
import type { StreamConnection } from '../stream-server.js';
import { NotedLine } from '../testing/noted-line.js';
import { TesterLine } from './tester-line.js';

const SECOND = new Uint8Array(8000).fill(0xff);
const KEY = Buffer.from('{"type":"dtmf","digit":"5"}');

describe('a tester who sends without end', () => {
  let clock: ScriptedClock;
  let call: NotedLine;
  let connection: StreamConnection;

  beforeEach(() => {
    clock = new ScriptedClock();
    const line = new TesterLine({
      sessionId: 's1',
      format: { encoding: 'mulaw', sample_rate: 8000 },
      clock,
      log: silentLog,
      onOver: () => {},
    });
    connection = line.connect({ send: () => {}, bufferedBytes: () => 0, end: () => {} });
    call = new NotedLine(line);
  });

  it('has a minute of audio taken at once, and then as much as is spoken', () => {
    expect(call.line.format).toEqual(PCMU_8K);
    for (let n = 0; n < 60; n++) connection.received(SECOND, true);
    expect(call.audio).toHaveLength(60 * 50);
    expect(() => connection.received(SECOND, true)).toThrow(ProtocolViolation);
    expect(call.audio).toHaveLength(60 * 50);
    clock.advance(1000);
    connection.received(SECOND, true);
    expect(call.audio).toHaveLength(61 * 50);
  });

  it('has 500 messages taken at once, and 50 a second besides', () => {
    for (let n = 0; n < 500; n++) connection.received(KEY, false);
    expect(() => connection.received(KEY, false)).toThrow(ProtocolViolation);
    expect(call.events).toHaveLength(500);
    clock.advance(1000);
    for (let n = 0; n < 49; n++) connection.received(KEY, false);
    expect(() => connection.received(KEY, false)).toThrow(ProtocolViolation);
  });
});
