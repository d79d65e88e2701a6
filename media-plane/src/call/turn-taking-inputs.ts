import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { CallCommand } from '@voice/shared/contracts/worker';
import type { Unstamped } from './decision-loop.js';
import type { TurnTakingEvent } from './turn-taking/events.js';
import type { TurnTakingOptions } from './turn-taking/port.js';

/** The call plan and the carrier's words, as turn-taking wants to know them. */

export function turnTakingOptions(
  plan: CallPlan,
  known: Pick<TurnTakingOptions, 'hearsWords' | 'turnDeadlineMs' | 'recogniser'>,
): TurnTakingOptions {
  const { agent, disclosure } = plan;
  const { hearsWords, turnDeadlineMs, recogniser } = known;
  return {
    settings: agent.turn_taking,
    disclosure,
    firstMessage: agent.first_message,
    language: agent.language,
    hearsWords,
    maxDurationMs: agent.max_duration_seconds * 1000,
    silenceTimeoutMs: agent.silence_timeout_seconds * 1000,
    voicemail: { ...agent.voicemail, detect: agent.voicemail.detect && isDialed(plan) },
    ...(turnDeadlineMs === undefined ? {} : { turnDeadlineMs }),
    ...(recogniser ? { recogniser } : {}),
  };
}

/** Returns whether we have rung a phone: who calls us, or tests by their own connection, is no machine. */
function isDialed({ direction, carrier }: CallPlan): boolean {
  return direction === 'outbound' && carrier.protocol !== 'websocket' && carrier.protocol !== 'webrtc';
}

type TurnTakingCommand = Extract<
  CallCommand['command'],
  { kind: 'hang_up' | 'carrier_ended' | 'whisper' | 'machine_detected' }
>;

/** Maps a command to its event; undefined where the carrier does not know who has answered. */
export function commandEvent(command: TurnTakingCommand): Unstamped | undefined {
  switch (command.kind) {
    case 'hang_up':
    case 'carrier_ended':
      return { type: 'operator_hangup', reason: command.reason };
    case 'whisper':
      return { type: 'whisper', text: command.text };
    case 'machine_detected': {
      const kind = machineKind(command.answered_by);
      return kind && { type: 'machine_detected', kind };
    }
  }
}

function machineKind(
  answeredBy: Extract<TurnTakingCommand, { kind: 'machine_detected' }>['answered_by'],
): Extract<TurnTakingEvent, { type: 'machine_detected' }>['kind'] | undefined {
  switch (answeredBy) {
    case 'unknown':
      return undefined;
    case 'human':
    case 'fax':
    case 'machine_start':
      return answeredBy;
    default:
      return 'machine_end';
  }
}
