import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import {
  type LanguageModel,
  type LlmEvent,
  type LlmRequest,
  type LlmTarget,
  prepareModel,
} from '../llm/port.js';
import { allPrepared, type Preparation } from '../preparation.js';
import { exhausted, ProviderError } from '../provider-error.js';
import { type AnswerLimits, type AskFailure, type ModelRole, nextStep } from './answer-policy.js';
import { Attempt } from './attempt.js';
import type { OnNotice } from './notice.js';

/** After it was replaced, the first model is left alone for so long, in ms. */
const REST_MS = 60_000;

interface LanguageModelFallback {
  readonly model: LanguageModel;
  readonly choice: ProviderChoice;
  readonly credentials: ProviderCredentials;
  /** Returns whether the first model may be asked, or is left alone because it fails every call of the worker. */
  readonly admitsFirst?: () => boolean;
}

export interface AnswerInTimeOptions {
  readonly model: LanguageModel;
  readonly fallback?: LanguageModelFallback | undefined;
  readonly limits: AnswerLimits;
  readonly clock: Clock;
  readonly onNotice: OnNotice;
}

/** A model that was asked and has not been heard yet. */
interface Contestant {
  readonly role: ModelRole;
  readonly at: number;
  readonly attempt: Attempt;
  readonly events: AsyncIterator<LlmEvent>;
  first: { readonly result: IteratorResult<LlmEvent> } | undefined;
  failure: AskFailure | undefined;
}

/**
 * Answers within a deadline, by whichever model speaks first (`answer-policy.ts`). What fails before anything was said
 * is never the reader's problem while somebody is left to ask; half an answer cannot be retracted, so what fails later
 * fails the whole. One call's wrapper: a model that another had to replace is left alone for a minute.
 */
export function answerInTime(options: AnswerInTimeOptions): LanguageModel {
  const { model, fallback, clock, onNotice } = options;
  let restingUntil = Number.NEGATIVE_INFINITY;
  let isNoticed = false;
  const isLeftAlone = () => {
    if (fallback?.admitsFirst?.() !== false) return false;
    if (!isNoticed) {
      const replacement = fallback.model.name;
      onNotice({
        code: 'provider_replaced',
        kind: 'llm',
        provider: model.name,
        replacement,
        cause: 'llm_circuit_open',
      });
    }
    isNoticed = true;
    return true;
  };
  async function* generate(request: LlmRequest, turn: AbortSignal): AsyncGenerator<LlmEvent> {
    if (turn.aborted) return;
    const isResting = fallback !== undefined && (clock.monotonic() < restingUntil || isLeftAlone());
    const race = new AnswerRace(options, request, turn, isResting ? 'fallback' : 'first');
    const rest = () => {
      restingUntil = clock.monotonic() + REST_MS;
    };
    try {
      const winner = await race.winner();
      if (!winner) return;
      if (winner.role === 'fallback' && !isResting) rest();
      try {
        for (let next = winner.first!.result; !next.done; next = await winner.events.next()) yield next.value;
      } catch (error) {
        // It broke off in mid-answer: the next one is the other's.
        if (winner.role === 'first' && !turn.aborted) rest();
        throw error;
      }
    } finally {
      race.end();
    }
  }
  /** Prepares the fallback, too: the answer that it has to give in time is late already. */
  function prepare(target: LlmTarget): Preparation {
    const all = [prepareModel(model, target), ...(fallback ? [prepareModel(fallback.model, fallback)] : [])];
    return allPrepared(all);
  }
  return { name: model.name, generate, prepare };
}

class AnswerRace {
  readonly #options: AnswerInTimeOptions;
  readonly #request: LlmRequest;
  readonly #turn: AbortSignal;
  readonly #preferred: ModelRole;
  readonly #since: number;
  readonly #contestants: Contestant[] = [];
  #lastError: ProviderError | undefined;
  #wake: (() => void) | undefined;

  constructor(options: AnswerInTimeOptions, request: LlmRequest, turn: AbortSignal, preferred: ModelRole) {
    this.#options = options;
    this.#request = request;
    this.#turn = turn;
    this.#preferred = preferred;
    this.#since = options.clock.monotonic();
  }

  /**
   * Returns the first model that speaks; undefined when the turn was aborted.
   * @throws ProviderError that is not retryable when everything was tried
   */
  async winner(): Promise<Contestant | undefined> {
    for (;;) {
      if (this.#turn.aborted) return undefined;
      const winner = this.#contestants.find(({ first }) => first);
      if (winner) {
        this.#end((contestant) => contestant !== winner);
        this.#noticeLateFirst(winner);
        return winner;
      }
      const step = this.#nextStep();
      switch (step.type) {
        case 'ask':
          this.#ask(step.role);
          break;
        case 'wait':
          await this.#change(step.until);
          break;
        case 'give_up':
          throw this.#exhausted(step.reason);
      }
    }
  }

  /** Stops all that still run. Idempotent. */
  end(): void {
    this.#end(() => true);
  }

  #nextStep() {
    const { limits, fallback, clock } = this.#options;
    const asks = this.#contestants.map(({ role, at, failure }) => ({
      role,
      at,
      ...(failure ? { failure } : {}),
    }));
    const hasFallback = fallback !== undefined;
    return nextStep(
      { limits, hasFallback, preferred: this.#preferred, since: this.#since, asks },
      clock.monotonic(),
    );
  }

  #ask(role: ModelRole): void {
    const { model, fallback, clock } = this.#options;
    this.#noticeNext(role);
    const attempt = new Attempt(this.#turn);
    const stream =
      role === 'fallback' && fallback
        ? fallback.model.generate(
            { ...this.#request, choice: fallback.choice, credentials: fallback.credentials },
            attempt.signal,
          )
        : model.generate(this.#request, attempt.signal);
    const events = stream[Symbol.asyncIterator]();
    const contestant: Contestant = {
      role,
      at: clock.monotonic(),
      attempt,
      events,
      first: undefined,
      failure: undefined,
    };
    this.#contestants.push(contestant);
    events.next().then(
      (result) => {
        contestant.first = { result };
        this.#wake?.();
      },
      (error: unknown) => {
        this.#failed(contestant, error);
        this.#wake?.();
      },
    );
  }

  #failed(contestant: Contestant, thrown: unknown): void {
    const { model, clock } = this.#options;
    const error =
      thrown instanceof ProviderError
        ? thrown
        : llmError(model.name, 'protocol_violation', 'the language model failed', { cause: thrown });
    this.#lastError = error;
    contestant.attempt.end();
    contestant.failure = {
      at: clock.monotonic(),
      retryable: error.retryable,
      isRateLimited: error.code === 'llm_rate_limited',
      retryAfterMs: error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1000,
    };
  }

  /** Publishes why another is asked. That it is beside a late one is published when it was the faster. */
  #noticeNext(role: ModelRole): void {
    const { model, fallback, onNotice } = this.#options;
    const before = this.#contestants.at(-1);
    if (!before) return;
    const cause = before.failure ? (this.#lastError?.code ?? 'llm_unavailable') : 'llm_timed_out';
    if (role === before.role) {
      onNotice({ code: 'provider_retried', kind: 'llm', provider: model.name, cause });
    } else if (before.failure) {
      const [provider, replacement] = this.#names(before.role, fallback);
      onNotice({ code: 'provider_replaced', kind: 'llm', provider, replacement, cause });
    }
  }

  #noticeLateFirst(winner: Contestant): void {
    const { fallback, onNotice } = this.#options;
    const late = this.#contestants.find(({ role, failure }) => role !== winner.role && !failure);
    if (!late || late.at > winner.at) return;
    const [provider, replacement] = this.#names(late.role, fallback);
    onNotice({ code: 'provider_replaced', kind: 'llm', provider, replacement, cause: 'llm_timed_out' });
  }

  #names(from: ModelRole, fallback: LanguageModelFallback | undefined): readonly [string, string] {
    const first = this.#options.model.name;
    const second = fallback?.model.name ?? first;
    return from === 'first' ? [first, second] : [second, first];
  }

  #end(isLoser: (contestant: Contestant) => boolean): void {
    for (const contestant of this.#contestants.filter(isLoser)) {
      contestant.attempt.end();
      // Not waited for: what hangs would hold up the one that speaks.
      contestant.events.return?.().then(undefined, () => {});
    }
  }

  /** Waits until a model speaks or fails, the turn is aborted, or it is time. */
  #change(until: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel();
        this.#turn.removeEventListener('abort', done);
        this.#wake = undefined;
        resolve();
      };
      const timer = clock.schedule(Math.max(0, until - clock.monotonic()), done);
      this.#turn.addEventListener('abort', done, { once: true });
      this.#wake = done;
    });
  }

  /** Creates the error of an answer for which nobody is left to ask: to ask all of them again is of no use. */
  #exhausted(reason: 'late' | 'failed'): ProviderError {
    const { model } = this.#options;
    const error = reason === 'failed' ? this.#lastError : undefined;
    if (!error) return llmError(model.name, 'timed_out', 'the language model did not begin in time', {});
    return exhausted(error);
  }
}

function llmError(
  provider: string,
  code: string,
  message: string,
  { cause }: { cause?: unknown },
): ProviderError {
  return new ProviderError({ provider, kind: 'llm', code, message, retryable: false, cause });
}
