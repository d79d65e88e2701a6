import { PCMU_8K } from '@voice/shared/audio/format';
import { describe, expect, it } from 'vitest';
import { CallerStream } from './caller-stream.js';
import type { OutboxMessage } from './outbox.js';

function stream() {
  const sent: OutboxMessage[] = [];
  const counts = { noTurns: 0 };
  const caller = new CallerStream({
    format: PCMU_8K,
    send: (message) => sent.push(message),
    onNoTurn: () => {
      counts.noTurns += 1;
    },
  });
  /** Writes so much of the line, each message unlike the others. */
  const write = (seconds: number, mute = false) => {
    for (let frame = 0; frame < seconds * 50; frame++) {
      caller.write(
        Uint8Array.from({ length: 160 }, (_, i) => (sent.length * 31 + i) % 256),
        mute,
      );
    }
  };
  return { caller, sent, counts, write };
}

describe('what no answer has begun to', () => {
  it('is what the caller said, and a little from before the detector found it', () => {
    const { caller, sent, write } = stream();
    write(5);
    expect(caller.unanswered).toEqual([]);
    caller.voiceActivity(true);
    write(1);
    caller.voiceActivity(false);
    write(1);
    expect(caller.unanswered).toEqual(sent.slice(-120));
  });

  it('is nothing once an answer has begun', () => {
    const { caller, write } = stream();
    caller.voiceActivity(true);
    write(1);
    caller.answered();
    write(1);
    expect(caller.unanswered).toEqual([]);
  });

  it('holds nothing of an answered turn when the caller speaks while nothing may be sent', () => {
    const { caller, write, sent } = stream();
    caller.voiceActivity(true);
    write(2);
    caller.voiceActivity(false);
    write(1);
    caller.answered();
    write(1, true);
    caller.voiceActivity(true);
    write(1, true);
    expect(caller.unanswered).toEqual(sent.slice(-20));
    caller.resume();
    expect(caller.unanswered).toEqual(sent.slice(-120));
  });

  it('is nothing where no answer came for long: it was no turn', () => {
    const { caller, counts, write } = stream();
    caller.voiceActivity(true);
    write(15);
    caller.voiceActivity(false);
    write(10);
    expect(caller.unanswered).not.toEqual([]);
    expect(counts.noTurns).toBe(0);
    write(0.02);
    expect(caller.unanswered).toEqual([]);
    write(20);
    expect(counts.noTurns).toBe(1);
  });

  it('is the end of a monologue', () => {
    const { caller, sent, write } = stream();
    caller.voiceActivity(true);
    write(40);
    expect(caller.unanswered).toEqual(sent.slice(-1500));
  });
});
