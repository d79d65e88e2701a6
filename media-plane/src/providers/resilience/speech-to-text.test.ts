import { PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { beforeEach, describe, expect, it } from 'vitest';
import { ProviderError } from '../provider-error.js';
import type { SpeechToText, SttEvent, SttOptions, SttSession } from '../stt/port.js';
import type { ResilienceNotice } from './notice.js';
import { withSpeechToTextFallback } from './speech-to-text.js';

/** A recogniser that says what the test makes it say. */
class ScriptedEar implements SpeechToText {
  options: SttOptions | undefined;
  frames: number[] = [];
  finalized = 0;
  closed = 0;
  speech: { speaking: boolean; atMs: number }[] = [];

  constructor(readonly name: string) {}

  open(options: SttOptions): SttSession {
    this.options = options;
    const recogniser = this;
    return {
      get audioMs() {
        return recogniser.frames.length * 20;
      },
      write: (frame) => void recogniser.frames.push(frame[0]!),
      voiceActivity: (speaking, atMs) => void recogniser.speech.push({ speaking, atMs }),
      finalize: () => {
        recogniser.finalized += 1;
      },
      close: () => {
        recogniser.closed += 1;
      },
    };
  }

  say(text: string, startMs: number, endMs: number, final = true): void {
    this.options!.onEvent({ type: 'transcript', text, final, confidence: 0.9, startMs, endMs });
  }

  fail(): void {
    const error = new ProviderError({
      provider: this.name,
      kind: 'stt',
      code: 'unavailable',
      message: 'gone',
      retryable: true,
    });
    this.options!.onEvent({ type: 'failed', error });
  }
}

describe('a recogniser with a fallback', () => {
  let first: ScriptedEar;
  let second: ScriptedEar;
  let events: SttEvent[];
  let notices: ResilienceNotice[];
  let session: SttSession;
  const choice = { provider: 'second', model: 'b', params: {} };

  beforeEach(() => {
    first = new ScriptedEar('first');
    second = new ScriptedEar('second');
    events = [];
    notices = [];
    const stt = withSpeechToTextFallback(
      first,
      { stt: second, choice, credentials: { api_key: 'second-key' } },
      (notice) => notices.push(notice),
    );
    session = stt.open({
      choice: { provider: 'first', model: 'a', params: {} },
      credentials: { api_key: 'first-key' },
      language: 'en-US',
      format: PCMU_8K,
      endpointingMs: 200,
      clock: new ScriptedClock(),
      log: silentLog,
      onEvent: (event) => events.push(event),
    });
  });

  function write(from: number, to: number): void {
    const frame = new Uint8Array(160);
    for (let number = from; number < to; number++) session.write(frame.fill(number));
  }

  it('opens only the first while that one works', () => {
    write(0, 10);
    first.say('hello', 0, 150);
    expect(second.options).toBeUndefined();
    expect(events).toMatchObject([{ text: 'hello' }]);
  });

  it("hands audio without a final to the fallback, and keeps its words' place in the call", () => {
    write(0, 10);
    first.say('hello', 0, 150);
    write(10, 15);
    first.say('my na', 160, 300, false);
    first.fail();
    write(15, 20);
    expect(second.options).toMatchObject({ choice, credentials: { api_key: 'second-key' } });
    expect(second.frames).toEqual([7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    second.say('my name is Ann', 20, 240);
    expect(events.at(-1)).toMatchObject({ text: 'my name is Ann', startMs: 160, endMs: 380 });
    expect(events.some((event) => event.type === 'failed')).toBe(false);
    expect(notices).toEqual([
      {
        code: 'provider_replaced',
        kind: 'stt',
        provider: 'first',
        replacement: 'second',
        cause: 'stt_unavailable',
      },
    ]);
    expect(session.audioMs).toBe(15 * 20 + 13 * 20);
    session.voiceActivity(true, 400);
    expect(second.speech).toEqual([{ speaking: true, atMs: 260 }]);
  });

  it('asks the fallback for the final that the primary had not given', () => {
    write(0, 10);
    session.finalize();
    first.fail();
    expect(second.finalized).toBe(1);
  });

  it('hears nothing more of the first, and fails when the other fails too', () => {
    write(0, 10);
    first.fail();
    first.say('late', 0, 100);
    second.fail();
    expect(events.map((event) => event.type)).toEqual(['failed']);
  });

  it('keeps no more than ten seconds for the other', () => {
    for (let second = 0; second < 30; second++) write(0, 50);
    first.fail();
    expect(second.frames).toHaveLength(500);
    second.say('hello', 0, 100);
    expect(events.at(-1)).toMatchObject({ startMs: 20_000 });
  });

  it('reports nothing after it was closed', () => {
    write(0, 10);
    session.close();
    first.fail();
    expect(second.options).toBeUndefined();
    expect(events).toEqual([]);
    expect(first.closed).toBe(1);
  });
});
