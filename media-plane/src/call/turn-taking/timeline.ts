import { describeEffect } from './describe-effect.js';
import type { Effect } from './effects.js';
import type { TurnTakingEvent } from './events.js';
import { type RecordedDecision, readDecisionLog } from './recorded-decisions.js';

/** What of an event is shown, in characters. */
const MAX_EVENT = 160;

/**
 * Describes a recorded call for people, one line a decision: when, what happened, and what was done. Decisions that led
 * to nothing but timers are left out.
 *
 * @throws DecisionLogError
 */
export function timelineOf(lines: Iterable<string>): string[] {
  return readDecisionLog(lines).decisions.flatMap(line);
}

function line({ event, effects }: RecordedDecision): string[] {
  const done = effects.filter(isShown).map(describeEffect);
  if (done.length === 0 && !SHOWN_ALONE.has(event.type)) return [];
  const then = done.length === 0 ? '' : ` → ${done.join('; ')}`;
  return [`${(event.at / 1000).toFixed(3).padStart(9)} s  ${describeEvent(event)}${then}`];
}

/** What is worth knowing also where nothing follows from it. */
const SHOWN_ALONE: ReadonlySet<TurnTakingEvent['type']> = new Set([
  'call_started',
  'tool_call',
  'tool_finished',
  'generation_failed',
  'machine_detected',
  'conversation_replaced',
  'handoff_ready',
]);

function isShown({ type }: Effect): boolean {
  return type !== 'set_timer' && type !== 'cancel_timer';
}

function describeEvent(event: TurnTakingEvent): string {
  switch (event.type) {
    case 'transcript':
      return `transcript “${event.text}”${event.final ? '' : ' …'}`;
    case 'text':
      return `text ${event.turn} “${event.sentence}”`;
    case 'tool_call':
      return `tool_call ${event.call.name} ${shortened(event.call.arguments)}`;
    case 'tool_finished':
      return `tool_finished ${event.callId} ${event.ok ? 'ok' : 'failed'}: ${shortened(event.result)}`;
    case 'handoff_ready':
      return `handoff_ready ${event.agent.language}`;
    case 'timer':
      return `timer ${event.name}`;
    default: {
      const { type, at: _at, ...rest } = event;
      const fields = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      return shortened([type, ...fields].join(' '));
    }
  }
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= MAX_EVENT ? line : `${line.slice(0, MAX_EVENT - 1)}…`;
}
