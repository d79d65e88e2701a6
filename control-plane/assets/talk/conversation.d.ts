import type { TurnMetrics } from '@voice/shared/contracts/call-events';
import type { LiveEvent } from '@voice/shared/contracts/live-events';

export interface Line {
  /** Stays the same while the line's text changes. */
  readonly key: string;
  readonly role: 'caller' | 'agent' | 'operator' | 'note';
  /** Of the record's turn; null before it is there. */
  readonly index: number | null;
  readonly atMs: number;
  readonly endedAtMs?: number;
  readonly text: string;
  /** What of the agent's text was cut off by an interruption. */
  readonly unheard: string;
  readonly final: boolean;
  readonly metrics: TurnMetrics | null;
}

export interface Conversation {
  readonly activity: 'listening' | 'thinking' | 'speaking' | null;
  readonly lines: readonly Line[];
  /** Of the agent's answers, ms. */
  readonly latencies: readonly number[];
  readonly pendingMetrics: TurnMetrics | null;
  readonly ended: { readonly reason: string; readonly durationMs: number } | null;
}

export const LIVE_EVENT_TYPES: readonly LiveEvent['type'][];
export function endsCall(event: LiveEvent): boolean;
export function newConversation(): Conversation;
export function withEvent(conversation: Conversation, event: LiveEvent): Conversation;
