import type { CallEvent, TranscriptTurn } from '@voice/shared/contracts/call-events';
import { z } from 'zod';
import type { CallDocument, TimelineEntry } from './model.js';

/** The timeline's entry of a handoff that took place. */
export const HANDOFF_ENTRY = 'agent.handoff';

export type AgentHandoff = Extract<CallEvent, { kind: 'agent_handoff' }>;

const handoffData = z.object({ agent_id: z.string(), at_ms: z.number() });

/** From when on which agent speaks. */
export interface CallSpeaker {
  readonly agent_id: string;
  /** ms since the media stream began. */
  readonly from_ms: number;
}

/** Returns the data of a handoff's entry in the timeline. */
export function handoffEntryData({
  from_agent_id,
  agent_id,
  agent_name,
  reason,
  summary,
  at_ms,
}: AgentHandoff) {
  return { from_agent_id, agent_id, agent_name, reason, summary, at_ms };
}

/** Returns the agents of the call in the order in which they spoke. Pure. */
export function speakersOf(call: Pick<CallDocument, 'agent_id' | 'timeline'>): CallSpeaker[] {
  return [{ agent_id: call.agent_id, from_ms: 0 }, ...call.timeline.flatMap(laterSpeaker)];
}

function laterSpeaker({ type, data }: TimelineEntry): CallSpeaker[] {
  if (type !== HANDOFF_ENTRY) return [];
  const { agent_id, at_ms } = handoffData.parse(JSON.parse(data));
  return [{ agent_id, from_ms: at_ms }];
}

/** Returns the turn with who said it, in a call that was handed over: an agent's turn begins after it took over. Pure. */
export function withSpeaker(turn: TranscriptTurn, handoffs: readonly AgentHandoff[]): TranscriptTurn {
  const [first] = handoffs;
  if (turn.role !== 'agent' || !first) return turn;
  const last = handoffs.findLast(({ at_ms }) => at_ms <= turn.started_at_ms);
  return { ...turn, agent_id: last ? last.agent_id : first.from_agent_id };
}
