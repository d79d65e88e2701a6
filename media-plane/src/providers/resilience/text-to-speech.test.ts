import { PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { beforeEach, describe, expect, it } from 'vitest';
import { ProviderError } from '../provider-error.js';
import type { SpeechChunk, TextToSpeech, Voice } from '../tts/port.js';
import { CircuitBreaker } from './circuit-breakers.js';
import type { ResilienceNotice } from './notice.js';
import { withVoiceFallback, withVoiceRetry, withVoiceTimeouts } from './text-to-speech.js';
import { withVoiceBreaker } from './with-breaker.js';

const LIMITS = { budgetMs: 250, firstTimeoutMs: 2000, idleTimeoutMs: 1000 };

/** What a turn does: the delay of each sentence's audio, a failure, or silence for ever. */
type Manner =
  | { readonly delayMs: number }
  | { readonly fail: ProviderError }
  /** A sign each second for so long; then the sentences, or a failure. */
  | { readonly startsForMs: number; readonly failure?: ProviderError }
  | 'silent';

function failure(code: string): ProviderError {
  return new ProviderError({ provider: 'first', kind: 'tts', code, message: code, retryable: true });
}

/** Speaks each sentence as its bytes; its n-th turn goes in the n-th manner. */
class ScriptedVoice implements TextToSpeech {
  turns = 0;
  closed = 0;

  constructor(
    readonly name: string,
    readonly clock: ScriptedClock,
    readonly manners: readonly Manner[],
  ) {}

  open(): Voice {
    const tts = this;
    let characters = 0;
    return {
      get characters() {
        return characters;
      },
      async *speak(sentences, signal): AsyncGenerator<SpeechChunk> {
        const manner = tts.manners[tts.turns++] ?? { delayMs: 0 };
        for await (const sentence of sentences) {
          if (signal.aborted) return;
          characters += sentence.length;
          if (manner === 'silent') await tts.clock.sleep(1e9, signal).catch(() => {});
          else if ('fail' in manner) throw manner.fail;
          else if ('startsForMs' in manner) {
            for (let ms = 0; ms < manner.startsForMs; ms += 1000) {
              await tts.clock.sleep(1000, signal);
              yield { audio: new Uint8Array(0) };
            }
            if (manner.failure) throw manner.failure;
          } else if (manner.delayMs > 0) await tts.clock.sleep(manner.delayMs, signal);
          if (signal.aborted) return;
          yield { audio: Buffer.from(sentence) };
        }
      },
      close() {
        tts.closed += 1;
      },
    };
  }
}

describe('a voice under protection', () => {
  let clock: ScriptedClock;
  let notices: ResilienceNotice[];
  const onNotice = (notice: ResilienceNotice) => notices.push(notice);

  beforeEach(() => {
    clock = new ScriptedClock();
    notices = [];
  });

  function open(tts: TextToSpeech): Voice {
    const choice = { provider: tts.name, model: '', params: {} };
    return tts.open({ choice, credentials: {}, format: PCMU_8K, language: 'en-US', clock, log: silentLog });
  }

  /** Gives each sentence at its time. */
  async function* given(...sentences: readonly [afterMs: number, sentence: string][]) {
    for (const [afterMs, sentence] of sentences) {
      if (afterMs > 0) await clock.sleep(afterMs);
      yield sentence;
    }
  }

  function listen(voice: Voice, sentences: AsyncIterable<string>, signal = new AbortController().signal) {
    const heard = { text: '', error: undefined as unknown, done: false };
    void (async () => {
      try {
        for await (const chunk of voice.speak(sentences, signal)) {
          heard.text += Buffer.from(chunk.audio).toString('utf8');
        }
      } catch (error) {
        heard.error = error;
      }
      heard.done = true;
    })();
    return heard;
  }

  it('gives notice when the first audio is late, counted from the first sentence', async () => {
    const tts = new ScriptedVoice('first', clock, [{ delayMs: 300 }]);
    const voice = open(withVoiceTimeouts(tts, { limits: LIMITS, clock, onNotice }));
    const heard = listen(voice, given([5000, 'Hello.']));
    await clock.advanceAsync(5200);
    expect(notices).toEqual([]);
    await clock.advanceAsync(200);
    expect(notices).toMatchObject([{ code: 'budget_passed', kind: 'tts', stage: 'first_audio' }]);
    expect(heard).toEqual({ text: 'Hello.', error: undefined, done: true });
    expect(clock.pending).toBe(0);
  });

  it('waits as long as it takes for the next sentence', async () => {
    const tts = new ScriptedVoice('first', clock, [{ delayMs: 100 }]);
    const voice = open(withVoiceTimeouts(tts, { limits: LIMITS, clock, onNotice }));
    const heard = listen(voice, given([0, 'One. '], [20_000, 'Two.']));
    await clock.advanceAsync(21_000, 100);
    expect(heard).toEqual({ text: 'One. Two.', error: undefined, done: true });
  });

  it('gives up a voice that does not speak what it was given', async () => {
    const tts = new ScriptedVoice('first', clock, ['silent']);
    const voice = open(withVoiceTimeouts(tts, { limits: LIMITS, clock, onNotice }));
    const heard = listen(voice, given([500, 'Hello.'], [9000, 'Never.']));
    await clock.advanceAsync(2480);
    expect(heard.done).toBe(false);
    await clock.advanceAsync(40);
    expect(heard.error).toMatchObject({ code: 'tts_timed_out', retryable: true });
  });

  it('waits for a voice that is being started, as long as it gives signs of that', async () => {
    const tts = new ScriptedVoice('first', clock, [{ startsForMs: 10_000 }]);
    const voice = open(withVoiceTimeouts(tts, { limits: LIMITS, clock, onNotice }));
    const heard = listen(voice, given([0, 'Hello.']));
    await clock.advanceAsync(10_100, 100);
    expect(heard).toEqual({ text: 'Hello.', error: undefined, done: true });
  });

  it('is asked again when it fails after such signs: they are nothing that was heard', async () => {
    const manners: Manner[] = [{ startsForMs: 3000, failure: failure('unavailable') }, { delayMs: 0 }];
    const timed = withVoiceTimeouts(new ScriptedVoice('first', clock, manners), {
      limits: LIMITS,
      clock,
      onNotice,
    });
    const heard = listen(open(withVoiceRetry(timed, onNotice)), given([0, 'Hello.']));
    await clock.advanceAsync(3100, 100);
    expect(heard).toEqual({ text: 'Hello.', error: undefined, done: true });
  });

  it('says the whole turn again with the same voice when nothing was heard', async () => {
    const tts = new ScriptedVoice('first', clock, [{ fail: failure('disconnected') }]);
    const voice = open(withVoiceRetry(tts, onNotice));
    const heard = listen(voice, given([0, 'One. '], [100, 'Two.']));
    await clock.advanceAsync(200);
    expect(heard).toEqual({ text: 'One. Two.', error: undefined, done: true });
    expect(notices).toMatchObject([{ code: 'provider_retried', cause: 'tts_disconnected' }]);
  });

  it('is asked twice and no more, and says then that to repeat it is of no use', async () => {
    const first = new ScriptedVoice('first', clock, [{ fail: failure('unavailable') }, 'silent']);
    const timed = withVoiceTimeouts(first, { limits: LIMITS, clock, onNotice });
    const heard = listen(open(withVoiceRetry(timed, onNotice)), given([0, 'One.']));
    await clock.advanceAsync(2100);
    expect(heard.error).toMatchObject({ code: 'tts_timed_out', retryable: false });
    expect(first.turns).toBe(2);
  });

  it('lets another voice speak, then and for the rest of the call', async () => {
    const first = new ScriptedVoice('first', clock, [{ delayMs: 0 }, 'silent']);
    const second = new ScriptedVoice('second', clock, []);
    const choice = { provider: 'second', model: '', params: {} };
    const timed = withVoiceTimeouts(first, { limits: LIMITS, clock, onNotice });
    const voice = open(withVoiceFallback(timed, { tts: second, choice, credentials: {} }, onNotice));
    for (const sentence of ['One.', 'Two.', 'Three.']) {
      const heard = listen(voice, given([0, sentence]));
      await clock.advanceAsync(2100);
      expect(heard).toEqual({ text: sentence, error: undefined, done: true });
    }
    expect([first.turns, second.turns]).toEqual([2, 2]);
    expect(notices.map((notice) => notice.code)).toEqual(['budget_passed', 'provider_replaced']);
    expect(voice.characters).toBe('One.Two.Two.Three.'.length);
    voice.close();
    expect([first.closed, second.closed]).toEqual([1, 1]);
  });

  it('does not let another voice finish a turn that was half heard', async () => {
    async function* broken() {
      yield 'One. ';
      await clock.sleep(10);
      throw failure('disconnected');
    }
    const first = new ScriptedVoice('first', clock, []);
    const second = new ScriptedVoice('second', clock, []);
    const choice = { provider: 'second', model: '', params: {} };
    const voice = open(withVoiceFallback(first, { tts: second, choice, credentials: {} }, onNotice));
    const heard = listen(voice, broken());
    await clock.advanceAsync(100);
    expect(heard).toMatchObject({ text: 'One. ', error: { code: 'tts_disconnected' } });
    expect(second.turns).toBe(0);
  });

  it('is left alone from the beginning where it fails every call of the worker, never in mid-call', async () => {
    const choice = { provider: 'second', model: '', params: {} };
    let isAdmitted = false;
    const admitsFirst = () => isAdmitted;
    const protect = (first: ScriptedVoice, second: ScriptedVoice) =>
      open(withVoiceFallback(first, { tts: second, choice, credentials: {}, admitsFirst }, onNotice));
    const [failing, other] = [new ScriptedVoice('first', clock, []), new ScriptedVoice('second', clock, [])];
    const late = protect(failing, other);
    for (const sentence of ['One.', 'Two.']) {
      listen(late, given([0, sentence]));
      await clock.advanceAsync(100);
    }
    expect([failing.turns, other.turns]).toEqual([0, 2]);
    expect(notices).toMatchObject([{ code: 'provider_replaced', cause: 'tts_circuit_open' }]);
    isAdmitted = true;
    const early = protect(failing, other);
    listen(early, given([0, 'One.']));
    await clock.advanceAsync(100);
    isAdmitted = false;
    listen(early, given([0, 'Two.']));
    await clock.advanceAsync(100);
    expect([failing.turns, other.turns]).toEqual([2, 2]);
  });

  it('is counted by whether it speaks', async () => {
    const breaker = new CircuitBreaker(clock);
    const manners: Manner[] = [
      { delayMs: 0 },
      { fail: failure('unavailable') },
      { fail: failure('unauthorized') },
    ];
    const voice = open(withVoiceBreaker(new ScriptedVoice('first', clock, manners), breaker));
    for (const _ of manners) {
      listen(voice, given([0, 'One.'], [0, 'Two.']));
      await clock.advanceAsync(100);
    }
    expect(breaker.results).toEqual({ ok: 1, slow: 0, failed: 1 });
  });

  it('ends at once when the turn is aborted', async () => {
    const turn = new AbortController();
    const first = new ScriptedVoice('first', clock, ['silent']);
    const second = new ScriptedVoice('second', clock, []);
    const choice = { provider: 'second', model: '', params: {} };
    const timed = withVoiceTimeouts(first, { limits: LIMITS, clock, onNotice });
    const voice = open(withVoiceFallback(timed, { tts: second, choice, credentials: {} }, onNotice));
    const heard = listen(voice, given([0, 'One.']), turn.signal);
    await clock.advanceAsync(100);
    turn.abort();
    await clock.advanceAsync(20);
    expect(heard).toEqual({ text: '', error: undefined, done: true });
    expect(second.turns).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
