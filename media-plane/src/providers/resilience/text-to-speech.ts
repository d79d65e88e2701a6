import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import { ProviderError } from '../provider-error.js';
import type { SpeechChunk, TextToSpeech, Voice } from '../tts/port.js';
import { Attempt, firstThatSpeaks } from './attempt.js';
import type { StageLimits } from './limits.js';
import type { OnNotice } from './notice.js';
import { SentenceReplay } from './sentence-replay.js';
import { TimedStream } from './timed-stream.js';

interface Watched {
  readonly clock: Clock;
  readonly onNotice: OnNotice;
}

/**
 * Gives a voice up whose expected audio does not come in time: after a sentence was given to it, and
 * after the last one until it ends. Waiting for the model's next sentence is not its fault. A voice that is still being
 * started is waited for as long as it gives signs of that, which are nothing that was heard.
 */
export function withVoiceTimeouts(
  tts: TextToSpeech,
  { limits, clock, onNotice }: Watched & { readonly limits: StageLimits },
): TextToSpeech {
  async function* speak(
    voice: Voice,
    sentences: AsyncIterable<string>,
    turn: AbortSignal,
  ): AsyncGenerator<SpeechChunk> {
    const attempt = new Attempt(turn);
    let expectsAudio = false;
    let ended = false;
    let audible = false;
    const late = () => {
      const stage = 'first_audio';
      onNotice({ code: 'budget_passed', kind: 'tts', provider: tts.name, stage, budgetMs: limits.budgetMs });
    };
    let budget: ReturnType<Clock['schedule']> | undefined;
    async function* watched() {
      for await (const sentence of sentences) {
        if (sentence.trim() !== '') {
          budget ??= clock.schedule(limits.budgetMs, late);
          expectsAudio = true;
        }
        stream.reconsider();
        yield sentence;
      }
      ended = true;
      stream.reconsider();
    }
    const stream: TimedStream<SpeechChunk> = new TimedStream({
      source: voice.speak(watched(), attempt.signal),
      clock,
      expected: () => {
        if (!expectsAudio && !ended) return null;
        return { withinMs: audible ? limits.idleTimeoutMs : limits.firstTimeoutMs };
      },
      onTimeout: () => {
        const error = timedOut(tts.name, audible);
        attempt.end(error);
        return error;
      },
    });
    try {
      for await (const chunk of stream.read()) {
        if (isSign(chunk)) continue;
        if (chunk.audio.length > 0) {
          budget?.cancel();
          audible = true;
          expectsAudio = false;
        }
        yield chunk;
      }
    } finally {
      budget?.cancel();
      attempt.end();
    }
  }
  return wrapVoice(tts, (voice) => (sentences, signal) => speak(voice, sentences, signal));
}

const isSign = ({ audio, alignment }: SpeechChunk) => audio.length === 0 && alignment === undefined;

/** Asks the same voice once more when a retryable failure came before any audio. */
export function withVoiceRetry(tts: TextToSpeech, onNotice: OnNotice): TextToSpeech {
  return wrapVoice(tts, (voice) => (sentences, signal) => {
    const replay = new SentenceReplay(sentences);
    const start = (attempt: AbortSignal) => voice.speak(replay.read(attempt), attempt);
    const again = (error: ProviderError) => {
      if (error.retryable) {
        onNotice({ code: 'provider_retried', kind: 'tts', provider: tts.name, cause: error.code });
      }
      return error.retryable;
    };
    return firstThatSpeaks(
      [
        { start, accepts: () => true },
        { start, accepts: again },
      ],
      signal,
    );
  });
}

export interface TextToSpeechFallback {
  readonly tts: TextToSpeech;
  readonly choice: ProviderChoice;
  readonly credentials: ProviderCredentials;
  /** Returns whether the first voice may be asked, or is left alone because it fails every call of the worker. */
  readonly admitsFirst?: () => boolean;
}

/**
 * Speaks by another voice a turn of which nothing was heard when this one failed, and all turns after it: a caller
 * should not hear the agent change its voice more than once.
 */
export function withVoiceFallback(
  tts: TextToSpeech,
  fallback: TextToSpeechFallback,
  onNotice: OnNotice,
): TextToSpeech {
  return {
    name: tts.name,
    open(options) {
      const first = tts.open(options);
      let second: Voice | undefined;
      const replacement = () => {
        const { choice, credentials } = fallback;
        second ??= fallback.tts.open({ ...options, choice, credentials });
        return second;
      };
      return {
        get isReplaced() {
          return second !== undefined;
        },
        get characters() {
          return first.characters + (second?.characters ?? 0);
        },
        speak(sentences, signal) {
          if (second) return second.speak(sentences, signal);
          const replaced = (cause: string) => {
            const replacement = fallback.tts.name;
            onNotice({ code: 'provider_replaced', kind: 'tts', provider: tts.name, replacement, cause });
            return true;
          };
          // A voice that the caller has heard is not changed for the calls of others.
          if (first.characters === 0 && fallback.admitsFirst?.() === false) {
            replaced('tts_circuit_open');
            return replacement().speak(sentences, signal);
          }
          const replay = new SentenceReplay(sentences);
          const replace = (error: ProviderError) => replaced(error.code);
          return firstThatSpeaks(
            [
              { start: (attempt) => first.speak(replay.read(attempt), attempt), accepts: () => true },
              { start: (attempt) => replacement().speak(replay.read(attempt), attempt), accepts: replace },
            ],
            signal,
          );
        },
        close() {
          first.close();
          second?.close();
        },
      };
    },
  };
}

function wrapVoice(tts: TextToSpeech, speakOf: (voice: Voice) => Voice['speak']): TextToSpeech {
  return {
    name: tts.name,
    open(options) {
      const voice = tts.open(options);
      return {
        get characters() {
          return voice.characters;
        },
        speak: speakOf(voice),
        close: () => voice.close(),
      };
    },
  };
}

function timedOut(provider: string, audible: boolean): ProviderError {
  return new ProviderError({
    provider,
    kind: 'tts',
    code: 'timed_out',
    message: audible ? 'the voice fell silent in mid-turn' : 'the voice did not begin in time',
    retryable: true,
  });
}
