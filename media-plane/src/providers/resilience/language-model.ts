import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { LanguageModel, LlmEvent, LlmRequest } from '../llm/port.js';
import { ProviderError } from '../provider-error.js';
import { Attempt, firstThatSpeaks } from './attempt.js';
import type { StageLimits } from './limits.js';
import type { OnNotice } from './notice.js';
import { TimedStream } from './timed-stream.js';

/** After a replacement, the first provider is left alone for so long, in ms. */
const REST_MS = 60_000;

interface Watched {
  readonly clock: Clock;
  readonly onNotice: OnNotice;
}

/** Gives a model up that does not begin, or does not go on, in time; gives notice when the first token is late. */
export function withTimeouts(
  model: LanguageModel,
  { limits, clock, onNotice }: Watched & { readonly limits: StageLimits },
): LanguageModel {
  async function* generate(request: LlmRequest, turn: AbortSignal): AsyncGenerator<LlmEvent> {
    const attempt = new Attempt(turn);
    let begun = false;
    const budget = clock.schedule(limits.budgetMs, () => {
      const stage = 'first_token';
      onNotice({
        code: 'budget_passed',
        kind: 'llm',
        provider: model.name,
        stage,
        budgetMs: limits.budgetMs,
      });
    });
    const stream = new TimedStream({
      source: model.generate(request, attempt.signal),
      clock,
      expected: () => ({ withinMs: begun ? limits.idleTimeoutMs : limits.firstTimeoutMs }),
      onTimeout: () => {
        const error = timedOut(model.name, begun);
        attempt.end(error);
        return error;
      },
    });
    try {
      for await (const event of stream.read()) {
        if (!begun) budget.cancel();
        begun = true;
        yield event;
      }
    } finally {
      budget.cancel();
      attempt.end();
    }
  }
  return { name: model.name, generate };
}

/** Asks once more when a retryable failure came before anything was said. */
export function withRetry(model: LanguageModel, onNotice: OnNotice): LanguageModel {
  return {
    name: model.name,
    generate: (request, signal) => {
      const start = (attempt: AbortSignal) => model.generate(request, attempt);
      const again = (error: ProviderError) => {
        if (error.retryable) {
          onNotice({ code: 'provider_retried', kind: 'llm', provider: model.name, cause: error.code });
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
    },
  };
}

export interface LanguageModelFallback {
  readonly model: LanguageModel;
  readonly choice: ProviderChoice;
  readonly credentials: ProviderCredentials;
}

/**
 * Answers by another model when this one fails before it said anything, for whatever reason; and then for a minute, so
 * that a dead provider does not cost every turn its time-out. One call's wrapper.
 */
export function withFallback(
  model: LanguageModel,
  fallback: LanguageModelFallback,
  { clock, onNotice }: Watched,
): LanguageModel {
  let restingUntil = Number.NEGATIVE_INFINITY;
  return {
    name: model.name,
    generate: (request, signal) => {
      const { choice, credentials } = fallback;
      const instead = (attempt: AbortSignal) =>
        fallback.model.generate({ ...request, choice, credentials }, attempt);
      if (clock.monotonic() < restingUntil) return instead(signal);
      const replace = (error: ProviderError) => {
        restingUntil = clock.monotonic() + REST_MS;
        onNotice({
          code: 'provider_replaced',
          kind: 'llm',
          provider: model.name,
          replacement: fallback.model.name,
          cause: error.code,
        });
        return true;
      };
      return firstThatSpeaks(
        [
          { start: (attempt) => model.generate(request, attempt), accepts: () => true },
          { start: instead, accepts: replace },
        ],
        signal,
      );
    },
  };
}

function timedOut(provider: string, begun: boolean): ProviderError {
  return new ProviderError({
    provider,
    kind: 'llm',
    code: 'timed_out',
    message: begun
      ? 'the language model fell silent in mid-answer'
      : 'the language model did not begin in time',
    retryable: true,
  });
}
