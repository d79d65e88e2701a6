import type { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { LanguageModel, LlmEvent, LlmRequest } from '../../llm/port.js';
import { ProviderError } from '../../provider-error.js';

export const REQUEST: LlmRequest = {
  choice: { provider: 'first', model: 'a', params: {} },
  credentials: { api_key: 'first-key' },
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
};

/** What happens next in an answer, in ms after what was before. */
export type Step = { readonly afterMs: number } & (
  | { readonly say: string }
  | { readonly fail: Error }
  /** So much of a tool call that is not whole yet. */
  | { readonly part: 'of a tool call' }
);

export function failure(
  code: string,
  { retryable = true, retryAfterSeconds }: { retryable?: boolean; retryAfterSeconds?: number } = {},
): ProviderError {
  return new ProviderError({
    provider: 'first',
    kind: 'llm',
    code,
    message: code,
    retryable,
    retryAfterSeconds,
  });
}

/** Answers its n-th request by the n-th list of steps; without one it is silent until it is aborted. */
export class ScriptedModel implements LanguageModel {
  readonly requests: LlmRequest[] = [];
  running = 0;

  constructor(
    readonly name: string,
    readonly clock: ScriptedClock,
    readonly answers: readonly (readonly Step[])[],
  ) {}

  async *generate(request: LlmRequest, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    const steps = this.answers[this.requests.length];
    this.requests.push(request);
    this.running += 1;
    try {
      if (!steps) await this.clock.sleep(1e9, signal);
      for (const step of steps ?? []) {
        if (step.afterMs > 0) await this.clock.sleep(step.afterMs, signal);
        if ('fail' in step) throw step.fail;
        if ('part' in step) yield { type: 'tool_call_part' };
        else yield { type: 'text', delta: step.say };
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.running -= 1;
    }
  }
}

export interface Heard {
  text: string;
  error: unknown;
  done: boolean;
}

/** Reads an answer as it comes. */
export function listen(model: LanguageModel, signal: AbortSignal = new AbortController().signal): Heard {
  const heard: Heard = { text: '', error: undefined, done: false };
  void (async () => {
    try {
      for await (const event of model.generate(REQUEST, signal)) {
        if (event.type === 'text') heard.text += event.delta;
      }
    } catch (error) {
      heard.error = error;
    }
    heard.done = true;
  })();
  return heard;
}
