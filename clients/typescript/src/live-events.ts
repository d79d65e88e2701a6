import type { CallStatus, EndReason, ToolExecution, TranscriptTurn, TurnMetrics } from './generated/types.js';

/** What happens in a call, as it happens (docs/live-streams.md). Positions are ms since the call's audio began. */
export type LiveEvent =
  | { type: 'status'; status: CallStatus; at: string; end_reason?: EndReason }
  | { type: 'state'; state: 'listening' | 'thinking' | 'speaking'; at_ms: number }
  | { type: 'transcript'; role: 'caller' | 'agent'; text: string; final: boolean; at_ms: number }
  | { type: 'turn'; turn: TranscriptTurn; seq: number }
  | { type: 'metrics'; metrics: TurnMetrics; seq: number }
  | { type: 'tool_call'; tool_call_id: string; name: string; at_ms: number }
  | { type: 'tool_result'; execution: ToolExecution; seq: number }
  | { type: 'dtmf'; digit: string; at_ms: number; seq: number }
  | { type: 'notice'; code: string; message: string; seq?: number }
  | { type: 'error'; code: string; message: string }
  | { type: 'ended'; end_reason: EndReason; duration_ms: number; seq: number };
