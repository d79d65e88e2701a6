import type { CallEvent } from './call-events.js';
import type { LiveEvent } from './live-events.js';

/** A live event that comes again after a reconnect, by its number. */
export type DurableLiveEvent = LiveEvent & { readonly seq: number };

/**
 * Returns what viewers of a live call get of one of its durable events; undefined for what only the control plane
 * needs. Both planes use it, so that an event replayed from the database reads like the one that was pushed.
 */
export function durableLiveEvent(event: CallEvent): DurableLiveEvent | undefined {
  const { seq } = event;
  switch (event.kind) {
    case 'turn':
      return { type: 'turn', turn: event.turn, seq };
    case 'turn_metrics':
      return { type: 'metrics', metrics: event.metrics, seq };
    case 'tool_execution':
      return { type: 'tool_result', execution: event.execution, seq };
    case 'dtmf':
      return { type: 'dtmf', digit: event.digit, at_ms: event.at_ms, seq };
    case 'notice':
      return { type: 'notice', code: event.code, message: event.message, seq };
    case 'transfer_requested':
      return {
        type: 'notice',
        code: 'transfer_requested',
        message: `The agent asks for a ${event.transfer_type} transfer.`,
        seq,
      };
    case 'agent_handoff':
      return {
        type: 'notice',
        code: 'agent_handoff',
        message: `${event.agent_name} has taken the call over.`,
        seq,
      };
    case 'ended':
      return { type: 'ended', end_reason: event.end_reason, duration_ms: event.duration_ms, seq };
    case 'media_started':
    case 'line_statistics':
      return undefined;
  }
}
