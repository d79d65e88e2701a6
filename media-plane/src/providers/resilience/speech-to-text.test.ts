import { PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { beforeEach, describe, expect, it } from 'vitest';
import { ProviderError } from '../provider-error.js';
import type { SpeechToText, SttEvent, SttOptions, SttSession, SttSign } from '../stt/port.js';
import { CircuitBreakers } from './circuit-breakers.js';
import type { ResilienceNotice } from './notice.js';
import { type Recogniser, withRecogniserWatch } from './speech-to-text.js';

/** A recogniser that says what the test makes it say. */
class ScriptedEar implements SpeechToText {
  options: SttOptions | undefined;
  frames: number[] = [];
  finalized = 0;
  closed = 0;
  opened = 0;
  writesAtEnd = false;
  speech: { speaking: boolean; atMs: number }[] = [];

  constructor(readonly name: string) {}

  open(options: SttOptions): SttSession {
    this.options = options;
    this.opened += 1;
    const recogniser = this;
    return {
      get audioMs() {
        return recogniser.frames.length * 20;
      },
      writesAtEnd: recogniser.writesAtEnd,
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

  sign(sign: SttSign): void {
    this.options!.onSign!(sign);
  }

  fail(retryable = true): void {
    const error = new ProviderError({
      provider: this.name,
      kind: 'stt',
      code: retryable ? 'unavailable' : 'unauthorized',
      message: 'gone',
      retryable,
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
  let clock: ScriptedClock;
  const choice = { provider: 'second', model: 'b', params: {} };

  beforeEach(() => {
    first = new ScriptedEar('first');
    second = new ScriptedEar('second');
    events = [];
    notices = [];
    clock = new ScriptedClock();
    session = open({ stt: second, isRemote: true, own: { choice, credentials: { api_key: 'second-key' } } });
  });

  function open(fallback: Recogniser | undefined): SttSession {
    const stt = withRecogniserWatch({ stt: first, isRemote: true }, fallback, (notice) =>
      notices.push(notice),
    );
    return stt.open({
      choice: { provider: 'first', model: 'a', params: {} },
      credentials: { api_key: 'first-key' },
      language: 'en-US',
      format: PCMU_8K,
      endpointingMs: 200,
      clock,
      log: silentLog,
      onEvent: (event) => events.push(event),
    });
  }

  /** Writes audio in its time. */
  function pass(ms: number): void {
    for (let left = ms; left > 0; left -= 20) {
      clock.advance(20);
      session.write(new Uint8Array(160));
    }
  }

  const codes = () =>
    notices.map((notice) => ('cause' in notice ? `${notice.code} ${notice.cause}` : notice.code));

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

  it('hears nothing more of the first, and fails when the other fails for good, too', () => {
    write(0, 10);
    first.fail(false);
    first.say('late', 0, 100);
    second.fail(false);
    expect(events.map((event) => event.type)).toEqual(['failed']);
    expect([first.opened, second.opened]).toEqual([1, 1]);
  });

  it('is asked again where the other fails, too, until six sessions in a row had no word', () => {
    for (let round = 0; round < 2; round++) {
      first.fail();
      second.sign('alive');
      second.fail();
    }
    first.fail();
    second.say('hello', 0, 100);
    events = [];
    for (let round = 0; round < 2; round++) {
      second.fail();
      first.sign('alive');
      first.fail();
    }
    second.fail();
    expect(events).toEqual([]);
    first.fail();
    expect(events).toMatchObject([{ type: 'failed', error: { code: 'stt_unavailable' } }]);
    second.fail();
    expect(events).toHaveLength(1);
  });

  it('counts sessions in a row only: one that lived for ten seconds begins anew', () => {
    const current = () => (first.opened > second.opened ? first : second);
    const lose = (times: number) => {
      for (let time = 0; time < times; time++) current().fail();
    };
    lose(3);
    current().sign('connected');
    current().sign('alive');
    pass(60_000);
    lose(3);
    expect(events).toEqual([]);
    lose(3);
    expect(events).toMatchObject([{ type: 'failed', error: { code: 'stt_unavailable' } }]);
  });

  it.each([
    ['was not connected for as long', () => pass(9980)],
    [
      'lost its connection meanwhile',
      () => {
        pass(9000);
        second.sign('disconnected');
        pass(1000);
      },
    ],
  ])('does not begin anew where one %s', (_, live) => {
    for (const recogniser of [first, second, first]) recogniser.fail();
    second.sign('connected');
    second.sign('alive');
    live();
    for (const recogniser of [second, first]) recogniser.fail();
    expect(events).toEqual([]);
    second.fail();
    expect(events).toMatchObject([{ type: 'failed', error: { code: 'stt_unavailable' } }]);
  });

  it('is not asked again where it failed for good', () => {
    first.fail(false);
    second.fail();
    expect([first.opened, second.opened]).toEqual([1, 2]);
  });

  it('keeps no more than ten seconds for the other', () => {
    for (let second = 0; second < 30; second++) write(0, 50);
    first.fail();
    expect(second.frames).toHaveLength(500);
    second.say('hello', 0, 100);
    expect(events.at(-1)).toMatchObject({ startMs: 20_000 });
  });

  describe('over a network', () => {
    it('that hangs at connect is replaced after a second and a half, with all that was said', () => {
      session.voiceActivity(true, 200);
      pass(1480);
      expect(second.opened).toBe(0);
      pass(20);
      expect(codes()).toEqual(['provider_replaced stt_timed_out']);
      expect(first.closed).toBe(1);
      expect(second.frames).toHaveLength(75);
      expect(second.speech).toEqual([{ speaking: true, atMs: 200 }]);
    });

    it('that cannot connect again is replaced likewise', () => {
      first.sign('connected');
      pass(5000);
      first.sign('disconnected');
      pass(1500);
      expect(codes()).toEqual(['provider_replaced stt_timed_out']);
    });

    it('that is mute while the caller speaks is replaced after two seconds of it', () => {
      first.sign('connected');
      pass(3000);
      session.voiceActivity(true, 3000);
      pass(1980);
      expect(second.opened).toBe(0);
      pass(20);
      expect(codes()).toEqual(['provider_replaced stt_mute']);
      second.say('When are you open?', 3000, 4900);
      expect(events).toMatchObject([{ text: 'When are you open?', startMs: 3000 }]);
    });

    it('that writes at the end of speech is not taken for mute amid it, but in the long run', () => {
      first.writesAtEnd = true;
      session = open({ stt: second, isRemote: true });
      first.sign('connected');
      session.voiceActivity(true, 0);
      first.sign('alive');
      pass(14_980);
      expect(codes()).toEqual([]);
      pass(20);
      // What is older than ten seconds is not kept.
      expect(codes()).toEqual(['provider_replaced stt_mute', 'speech_lost']);
    });

    it('is left alone as long as it finds words, and while nobody speaks', () => {
      first.sign('connected');
      session.voiceActivity(true, 0);
      for (let second = 0; second < 20; second++) {
        pass(1000);
        if (second % 7 === 6) first.say('and then', second * 1000, second * 1000 + 900, false);
        else first.sign('alive');
      }
      session.voiceActivity(false, 20_000);
      pass(60_000);
      expect(notices).toEqual([]);
    });

    it.each([2, 8])('is not taken for mute where the line stalls for %d s in mid-speech', (seconds) => {
      first.sign('connected');
      session.voiceActivity(true, 0);
      pass(1000);
      clock.advance(seconds * 1000);
      // What was spoken meanwhile comes at once.
      write(0, seconds * 50);
      pass(500);
      expect(notices).toEqual([]);
      pass(300);
      expect(codes()).toEqual(['provider_replaced stt_mute']);
    });

    it('is not replaced a second time for what may be a noise: a notice says so, once', () => {
      first.sign('connected');
      session.voiceActivity(true, 0);
      pass(2000);
      second.sign('connected');
      pass(60_000);
      expect(codes()).toEqual(['provider_replaced stt_mute', 'speech_not_understood']);
      second.say('Hello?', 60_000, 62_000);
      second.sign('alive');
      pass(2000);
      expect(codes().slice(2)).toEqual(['provider_replaced stt_mute']);
    });

    it('sends empty results: is replaced after eight seconds of speech, with all of it', () => {
      first.sign('connected');
      pass(3000);
      session.voiceActivity(true, 3000);
      for (let sixth = 0; sixth < 7; sixth++) {
        pass(1000);
        first.say('', 3000, 4000 + sixth * 1000, false);
      }
      pass(980);
      expect(second.opened).toBe(0);
      pass(20);
      expect(codes()).toEqual(['provider_replaced stt_wordless']);
      expect(second.frames).toHaveLength(500);
      expect(second.speech).toEqual([{ speaking: true, atMs: 2000 }]);
      second.say('When are you open?', 2000, 9900);
      expect(events.at(-1)).toMatchObject({ text: 'When are you open?', startMs: 3000 });
    });

    it('sends empty results to a noise: the next one that does so stays, and a notice says so, once', () => {
      first.sign('connected');
      session.voiceActivity(true, 0);
      for (let second = 0; second < 8; second++) {
        pass(1000);
        first.sign('alive');
      }
      second.sign('connected');
      for (let later = 0; later < 60; later++) {
        pass(1000);
        second.sign('alive');
      }
      expect(codes()).toEqual(['provider_replaced stt_wordless', 'speech_not_understood']);
      expect([first.opened, second.opened]).toEqual([1, 1]);
    });

    it('without a fallback is opened anew', () => {
      session.close();
      session = open(undefined);
      pass(1500);
      expect(codes()).toEqual(['provider_retried stt_timed_out']);
      expect(first.opened).toBe(3);
      first.sign('connected');
      first.say('Hello.', 0, 1000);
      expect(events).toMatchObject([{ text: 'Hello.' }]);
    });

    it('fails when nobody can be reached for as long as the audio is kept, and says what was lost', () => {
      session.voiceActivity(true, 1000);
      session.voiceActivity(false, 3000);
      pass(8980);
      expect(events).toEqual([]);
      pass(20);
      expect(events).toMatchObject([{ type: 'failed', error: { code: 'stt_timed_out' } }]);
      expect(notices.at(-1)).toMatchObject({ code: 'speech_lost', lostMs: 2000 });
      pass(20_000);
      expect(events).toHaveLength(1);
    });

    it('says what was lost when more was spoken than is kept', () => {
      first.sign('connected');
      first.sign('disconnected');
      session.voiceActivity(true, 0);
      // Written at once, as after a stalled event loop.
      for (let frame = 0; frame < 650; frame++) session.write(new Uint8Array(160));
      first.fail();
      expect(second.frames).toHaveLength(500);
      expect(notices.at(-1)).toMatchObject({ code: 'speech_lost', lostMs: 3000 });
    });

    it('says what was lost when the call ends before anybody heard it', () => {
      session.voiceActivity(true, 0);
      pass(1000);
      session.voiceActivity(false, 900);
      session.close();
      expect(notices).toMatchObject([{ code: 'speech_lost', lostMs: 900 }]);
    });
  });

  describe('that fails every call of the worker', () => {
    const provider = { provider: 'first', model: 'a', params: {} };

    function openWith(breakers: CircuitBreakers): SttSession {
      const stt = withRecogniserWatch(
        { stt: first, isRemote: true, breaker: breakers.find('stt', provider) },
        { stt: second, isRemote: true, own: { choice, credentials: {} } },
        (notice) => notices.push(notice),
      );
      return stt.open(first.options!);
    }

    it('is left alone by the next ones', () => {
      const breakers = new CircuitBreakers(clock);
      for (let call = 0; call < 5; call++) {
        openWith(breakers);
        first.fail();
      }
      notices = [];
      const before = first.opened;
      openWith(breakers);
      expect(first.opened).toBe(before);
      expect(codes()).toEqual(['provider_replaced stt_circuit_open']);
    });

    it('is known by its sessions: unconnected, failed, and deaf where another understood', () => {
      const breakers = new CircuitBreakers(clock);
      const results = () => breakers.list()[0]!.results;
      session = openWith(breakers);
      first.sign('connected');
      first.sign('alive');
      first.sign('alive');
      expect(results()).toEqual({ ok: 1, slow: 0, failed: 0 });
      session = openWith(breakers);
      pass(1500);
      expect(results()).toEqual({ ok: 1, slow: 0, failed: 1 });
      session = openWith(breakers);
      first.sign('connected');
      session.voiceActivity(true, 0);
      pass(2000);
      expect(results()).toEqual({ ok: 1, slow: 0, failed: 1 });
      second.say('Hello?', 0, 1800);
      second.say('Hello, there?', 0, 1900);
      expect(results()).toEqual({ ok: 1, slow: 0, failed: 2 });
    });
  });

  it('on this machine is not watched', () => {
    const local = withRecogniserWatch(
      { stt: first, isRemote: false },
      { stt: second, isRemote: true, own: { choice, credentials: {} } },
      (notice) => notices.push(notice),
    );
    session = local.open(first.options!);
    session.voiceActivity(true, 0);
    pass(60_000);
    expect(notices).toEqual([]);
    first.fail();
    expect(codes()).toEqual(['provider_replaced stt_unavailable', 'speech_lost']);
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
