import { WITHHELD } from '@voice/shared/agent-tools/sensitive-tools';
import type { Effect } from './turn-taking/effects.js';
import type { ToolCall, TurnTakingEvent } from './turn-taking/events.js';
import type { RecordedDecision } from './turn-taking/recorded-decisions.js';

/**
 * Keeps what sensitive tools are given, and what they answer, out of a call's decision log. No rule depends on either,
 * so that the log is replayed as it was.
 */
export class SensitiveCalls {
  readonly #isSensitive: (toolName: string) => boolean;
  /** Ids of the calls of such tools. */
  readonly #ids = new Set<string>();

  /** @param isSensitive of the agent that speaks */
  constructor(isSensitive: (toolName: string) => boolean) {
    this.#isSensitive = isSensitive;
  }

  /** Returns the decision as it may be recorded. Decisions come in their order. */
  withheld(event: TurnTakingEvent, effects: readonly Effect[]): RecordedDecision {
    return {
      event: this.#withheldEvent(event),
      effects: effects.map((effect) => this.#withheldEffect(effect)),
    };
  }

  #withheldEvent(event: TurnTakingEvent): TurnTakingEvent {
    switch (event.type) {
      case 'tool_call':
        if (this.#isSensitive(event.call.name)) this.#ids.add(event.call.id);
        return { ...event, call: this.#withheldCall(event.call) };
      case 'tool_finished':
        return this.#ids.has(event.callId) ? { ...event, result: WITHHELD } : event;
      default:
        return event;
    }
  }

  #withheldEffect(effect: Effect): Effect {
    if (effect.type !== 'run_tool' && effect.type !== 'cancel_tool') return effect;
    return { ...effect, call: this.#withheldCall(effect.call) };
  }

  #withheldCall(call: ToolCall): ToolCall {
    return this.#ids.has(call.id) ? { ...call, arguments: WITHHELD } : call;
  }
}
