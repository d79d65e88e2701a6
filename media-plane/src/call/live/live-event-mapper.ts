import type { LiveEvent } from '@voice/shared/contracts/live-events';
import { agentPhase } from '../turn-taking/agent-phase.js';
import type { TurnTakingEvent } from '../turn-taking/events.js';
import { audibleTurn, type CallerTurn, type State } from '../turn-taking/state.js';
import { utteranceText } from '../turn-taking/utterance.js';

type AgentState = Extract<LiveEvent, { type: 'state' }>['state'];

const NOTHING: readonly LiveEvent[] = [];

/** Maps the state to the agent's state as followers see it; undefined: unchanged. */
function occupation(state: State): AgentState | undefined {
  switch (agentPhase(state)) {
    case 'speaking':
      return 'speaking';
    case 'acting':
      return 'thinking';
    case 'preparing':
      // A speculative answer is prepared while the caller may still be speaking.
      return state.pendingAnswer || state.turns.some(({ speculative }) => !speculative)
        ? 'thinking'
        : 'listening';
    case 'idle':
    case 'paused':
      return 'listening';
    case 'closing':
      return audibleTurn(state) ? 'speaking' : undefined;
  }
}

/**
 * Derives the events of the moment from what the reducer was given and came to: the agent's state, the texts of
 * both sides while they change, tools that begin, failures. One for each call; it gets every decision in order. Only
 * changes become events. Durable events (turns, metrics, tool results) are made from the call's record instead.
 */
export class LiveEventMapper {
  #occupation: AgentState | undefined;
  /** The caller's text as last published; empty when it was final, or there was none. */
  #callerText = '';
  #lastTurn: CallerTurn | null = null;
  /** The agent's turn whose text is being published, and that text. */
  #agentTurn: number | undefined;
  #agentText = '';
  #tools: State['tools'] = [];
  readonly #toolsBegun = new Set<string>();

  /** Returns the events of one decision: its input, and the state after it. */
  next(event: TurnTakingEvent, state: State): readonly LiveEvent[] {
    const events: LiveEvent[] = [];
    const at_ms = Math.max(0, Math.round(event.at));
    this.#caller(state, at_ms, events);
    this.#agent(event, state, at_ms, events);
    this.#begunTools(state, at_ms, events);
    if (event.type === 'provider_failed') {
      events.push({
        type: 'error',
        code: event.code,
        message: 'A provider of the agent has failed for good.',
      });
    }
    if (event.type === 'generation_failed' && !event.retryable) {
      events.push({ type: 'error', code: event.code, message: 'A turn of the agent could not be spoken.' });
    }
    const now = occupation(state);
    if (now !== undefined && now !== this.#occupation) {
      this.#occupation = now;
      events.push({ type: 'state', state: now, at_ms });
    }
    return events.length === 0 ? NOTHING : events;
  }

  #caller(state: State, at_ms: number, events: LiveEvent[]): void {
    const text = utteranceText(state.utterance);
    const taken = state.lastTurn !== this.#lastTurn ? state.lastTurn : null;
    this.#lastTurn = state.lastTurn;
    if (text === '') {
      // Taken up as a turn, or dropped (a backchannel): it changes no more.
      const final = taken ? utteranceText(taken.utterance) : this.#callerText;
      this.#callerText = '';
      if (final !== '') events.push({ type: 'transcript', role: 'caller', text: final, final: true, at_ms });
      return;
    }
    if (text === this.#callerText) return;
    this.#callerText = text;
    events.push({ type: 'transcript', role: 'caller', text, final: false, at_ms });
  }

  #agent(event: TurnTakingEvent, state: State, at_ms: number, events: LiveEvent[]): void {
    const turn = audibleTurn(state);
    if (this.#agentTurn !== undefined && turn?.id !== this.#agentTurn) {
      const cut = event.type === 'cleared' && event.turn === this.#agentTurn;
      const text = cut ? event.heardText.trim() : this.#agentText;
      if (this.#agentText !== '') {
        events.push({ type: 'transcript', role: 'agent', text, final: true, at_ms });
      }
      this.#agentText = '';
    }
    this.#agentTurn = turn?.id;
    if (!turn || turn.text === this.#agentText) return;
    this.#agentText = turn.text;
    events.push({ type: 'transcript', role: 'agent', text: turn.text, final: false, at_ms });
  }

  #begunTools(state: State, at_ms: number, events: LiveEvent[]): void {
    if (state.tools === this.#tools) return;
    this.#tools = state.tools;
    for (const { call, status } of state.tools) {
      if (status !== 'running' || this.#toolsBegun.has(call.id)) continue;
      this.#toolsBegun.add(call.id);
      events.push({ type: 'tool_call', tool_call_id: call.id, name: call.name, at_ms });
    }
    // An id is used once; those of tools that are gone need not be remembered.
    if (state.tools.length === 0) this.#toolsBegun.clear();
  }
}
