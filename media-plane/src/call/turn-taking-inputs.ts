import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { TurnTakingEvent } from './turn-taking/events.js';
import type { TurnTakingOptions } from './turn-taking/port.js';

/** The call plan and the carrier's words, as turn-taking wants to know them. */

export function turnTakingOptions(
  { agent, disclosure }: CallPlan,
  hearsWords: boolean,
  turnDeadlineMs?: number,
): TurnTakingOptions {
  return {
    settings: agent.turn_taking,
    disclosure,
    firstMessage: agent.first_message,
    language: agent.language,
    hearsWords,
    maxDurationMs: agent.max_duration_seconds * 1000,
    silenceTimeoutMs: agent.silence_timeout_seconds * 1000,
    voicemail: agent.voicemail,
    ...(turnDeadlineMs === undefined ? {} : { turnDeadlineMs }),
  };
}

/** Maps Twilio's `AnsweredBy`; undefined for a human, and where the carrier does not know. */
export function machineKind(
  answeredBy: string,
): Extract<TurnTakingEvent, { type: 'machine_detected' }>['kind'] | undefined {
  if (answeredBy === 'fax') return 'fax';
  if (answeredBy === 'machine_start') return 'machine_start';
  return answeredBy.startsWith('machine_end') ? 'machine_end' : undefined;
}
