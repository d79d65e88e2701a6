import type { Clock } from '@voice/shared/clock/clock';
import {
  type LanguageModel,
  type LlmEvent,
  type LlmRequest,
  type LlmTarget,
  prepareModel,
} from '../llm/port.js';
import type { Preparation } from '../preparation.js';
import type { SpeechChunk, TextToSpeech } from '../tts/port.js';
import type { BreakerOutcome } from './circuit-breaker.js';
import { type Breaker, isProvidersFault } from './circuit-breakers.js';

/** Reports to the breaker how a model answers: slow is a first output after `slowMs`. */
export function withModelBreaker(
  model: LanguageModel,
  { breaker, clock, slowMs }: { breaker: Breaker; clock: Clock; slowMs: number },
): LanguageModel {
  async function* generate(request: LlmRequest, turn: AbortSignal): AsyncGenerator<LlmEvent> {
    const startedAt = clock.monotonic();
    const result = once(breaker.begin());
    let spoke = false;
    const isLate = () => clock.monotonic() - startedAt >= slowMs;
    try {
      for await (const event of model.generate(request, turn)) {
        // Before it is passed on: nobody may ask for another.
        if (!spoke) result(isLate() ? 'slow' : 'ok');
        spoke = true;
        yield event;
      }
    } catch (error) {
      // In mid-answer it is another result than that of its beginning.
      if (isProvidersFault(error)) (spoke ? breaker.begin() : result)('failed');
      throw error;
    } finally {
      // It was given up before it said anything: because the caller spoke, or because another was faster.
      if (turn.aborted && isLate()) result('slow');
    }
  }
  /** A connection that cannot be opened is a failure; one that can is no answer yet. */
  function prepare(target: LlmTarget): Preparation {
    const result = breaker.begin();
    const preparation = prepareModel(model, target);
    preparation.ready.catch((error: unknown) => {
      if (isProvidersFault(error)) result('failed');
    });
    return preparation;
  }
  return { name: model.name, generate, prepare };
}

/** Reports to the breaker whether a voice speaks. That it is late is a failure of its own (`withVoiceTimeouts`). */
export function withVoiceBreaker(tts: TextToSpeech, breaker: Breaker): TextToSpeech {
  return {
    name: tts.name,
    open(options) {
      const voice = tts.open(options);
      async function* speak(
        sentences: AsyncIterable<string>,
        signal: AbortSignal,
      ): AsyncGenerator<SpeechChunk> {
        const result = once(breaker.begin());
        try {
          for await (const chunk of voice.speak(sentences, signal)) {
            if (chunk.audio.length > 0) result('ok');
            yield chunk;
          }
        } catch (error) {
          if (isProvidersFault(error)) result('failed');
          throw error;
        }
      }
      return {
        get characters() {
          return voice.characters;
        },
        speak,
        close: () => voice.close(),
      };
    },
  };
}

function once(report: (outcome: BreakerOutcome) => void): (outcome: BreakerOutcome) => void {
  let isReported = false;
  return (outcome) => {
    if (isReported) return;
    isReported = true;
    report(outcome);
  };
}
