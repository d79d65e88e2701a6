import { PCMU_8K } from '@voice/shared/audio/format';
import { describe, expect, it } from 'vitest';
import { CallerStream } from './caller-stream.js';
import type { OutboxMessage } from './outbox.js';

function stream() {
  const sent: OutboxMessage[] = [];
  const caller = new CallerStream({ format: PCMU_8K, send: (message) => sent.push(message) });
  /** Writes so much of the line, each message unlike the others. */
  const write = (seconds: number) => {
    for (let frame = 0; frame < seconds * 50; frame++) {
      caller.write(
        Uint8Array.from({ length: 160 }, (_, i) => (sent.length * 31 + i) % 256),
        false,
      );
    }
  };
  return { caller, sent, write };
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

  it('is nothing where no answer came for long: it was no turn', () => {
    const { caller, write } = stream();
    caller.voiceActivity(true);
    write(15);
    caller.voiceActivity(false);
    write(10);
    expect(caller.unanswered).not.toEqual([]);
    write(0.02);
    expect(caller.unanswered).toEqual([]);
  });

  it('is the end of a monologue', () => {
    const { caller, sent, write } = stream();
    caller.voiceActivity(true);
    write(40);
    expect(caller.unanswered).toEqual(sent.slice(-1500));
  });
});
