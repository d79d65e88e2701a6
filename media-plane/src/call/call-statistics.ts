import type { CallUsage, UsageWaste } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { RecogniserBook } from './recogniser-book.js';
import type { TurnMetric } from './turn-taking/effects.js';
import type { RecogniserHabits } from './turn-taking/recogniser-habits.js';

/** What a provider was used for in vain, since the worker began. */
export interface WastedUse {
  readonly reason: UsageWaste['reason'];
  readonly provider: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly characters: number;
}

/** What the worker's calls came to, for its metrics and for the calls after them. */
export class CallStatistics {
  readonly #recognisers = new RecogniserBook();
  readonly #wasted = new Map<string, WastedUse>();
  /** Turns of callers that were answered. */
  turns = 0;
  /** Answers begun before the caller's turn was over. */
  readonly guesses = { kept: 0, dropped: 0 };

  /** Returns what is known of the plan's recogniser; undefined where nothing is. */
  habitsFor(plan: CallPlan): RecogniserHabits | undefined {
    return this.#recognisers.habitsFor(plan);
  }

  report(metric: TurnMetric): void {
    if (metric.name === 'speculation_dropped') this.guesses.dropped += 1;
    if (metric.name !== 'end_of_turn') return;
    this.turns += 1;
    if (metric.preempted) this.guesses.kept += 1;
  }

  ended(plan: CallPlan, { segments = [], wasted = [] }: CallUsage, habits: RecogniserHabits): void {
    // What another recogniser did in its place says nothing of the agent's own.
    const isReplaced = segments.some(({ kind, fallback }) => kind === 'stt' && fallback);
    if (!isReplaced) this.#recognisers.keep(plan, habits);
    for (const waste of wasted) this.#add(waste);
  }

  wasted(): readonly WastedUse[] {
    return [...this.#wasted.values()];
  }

  #add(waste: UsageWaste): void {
    const { reason, provider } = waste;
    const key = JSON.stringify([reason, provider]);
    const none = { reason, provider, inputTokens: 0, outputTokens: 0, characters: 0 };
    const before = this.#wasted.get(key) ?? none;
    this.#wasted.set(
      key,
      waste.kind === 'tts'
        ? { ...before, characters: before.characters + waste.characters }
        : {
            ...before,
            inputTokens: before.inputTokens + waste.input_tokens,
            outputTokens: before.outputTokens + waste.output_tokens,
          },
    );
  }
}
