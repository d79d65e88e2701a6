import type { Clock } from '@voice/shared/clock/clock';
import { type LanguageModel, type LlmEvent, type LlmRequest, prepareModel } from '../llm/port.js';
import { ProviderError } from '../provider-error.js';
import { Attempt } from './attempt.js';
import type { StageLimits } from './limits.js';
import type { OnNotice } from './notice.js';
import { TimedStream } from './timed-stream.js';

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
  return { name: model.name, generate, prepare: (target) => prepareModel(model, target) };
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
