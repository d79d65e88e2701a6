import type {
  CallEvent,
  CallUsage,
  LineStatisticsRecord,
  ToolExecution,
  TranscriptTurn,
  TurnMetrics,
} from '@voice/shared/contracts/call-events';
import { derivedId } from '@voice/shared/ids/ids';
import { type AgentHandoff, withSpeaker } from './call-speakers.js';
import type { MeasuredTurn } from './measured-turns.js';
import type { StagePercentiles, TimelineEvent } from './schemas.js';

/** What a call's events add up to. */
export interface CallRecord {
  readonly transcript: TranscriptTurn[];
  readonly toolExecutions: ToolExecution[];
  readonly turnMetrics: TurnMetrics[];
  readonly timeline: TimelineEvent[];
  /** Of the connection, as last reported; null where none was. */
  readonly line: LineStatisticsRecord | null;
  /** Null until the worker's last event. */
  readonly usage: CallUsage | null;
}

/** Returns what an event adds to the timeline; null for what is shown elsewhere. */
function timelineData(event: CallEvent): { type: string; data: Record<string, unknown> } | null {
  switch (event.kind) {
    case 'media_started':
      return { type: 'media.started', data: { carrier_call_id: event.carrier_call_id } };
    case 'dtmf':
      return { type: 'dtmf', data: { digit: event.digit, at_ms: event.at_ms } };
    case 'transfer_requested':
      return {
        type: 'transfer.requested',
        data: { destination: event.destination, transfer_type: event.transfer_type },
      };
    case 'notice':
      return { type: 'notice', data: { code: event.code, message: event.message } };
    case 'ended':
      return { type: 'media.ended', data: { end_reason: event.end_reason, duration_ms: event.duration_ms } };
    case 'agent_handoff':
    case 'turn':
    case 'turn_metrics':
    case 'tool_execution':
    case 'line_statistics':
      return null;
  }
}

/**
 * Adds a call's events up. Their numbers decide, not the order they came in: the last word for a turn,
 * a tool call or a turn's metrics counts, and a repeat changes nothing.
 */
export function recordOf(events: readonly CallEvent[]): CallRecord {
  const turns = new Map<number, TranscriptTurn>();
  const tools = new Map<string, ToolExecution>();
  const metrics = new Map<number, TurnMetrics>();
  const timeline = new Map<string, TimelineEvent>();
  const handoffs: AgentHandoff[] = [];
  let line: LineStatisticsRecord | null = null;
  let usage: CallUsage | null = null;
  for (const event of [...events].sort((a, b) => a.seq - b.seq)) {
    if (event.kind === 'turn') turns.set(event.turn.index, event.turn);
    if (event.kind === 'agent_handoff') handoffs.push(event);
    if (event.kind === 'tool_execution') tools.set(event.execution.tool_call_id, event.execution);
    if (event.kind === 'turn_metrics') metrics.set(event.metrics.turn, event.metrics);
    if (event.kind === 'line_statistics') line = event.statistics;
    if (event.kind === 'ended') usage = event.usage;
    const entry = timelineData(event);
    if (entry) {
      const id = derivedId(event.call_id, `event:${event.seq}`);
      timeline.set(id, { id, ...entry, at: new Date(event.at).toISOString() });
    }
  }
  return {
    transcript: [...turns.values()]
      .sort((a, b) => a.index - b.index)
      .map((turn) => withSpeaker(turn, handoffs)),
    toolExecutions: [...tools.values()].sort((a, b) => a.started_at_ms - b.started_at_ms),
    turnMetrics: [...metrics.values()].sort((a, b) => a.turn - b.turn),
    timeline: [...timeline.values()],
    line,
    usage,
  };
}

/**
 * The carrier takes the caller over before anybody can say so to the worker, which then takes its transfer for
 * broken off: in a call that ended as transferred, it is what succeeded. Pure.
 */
export function withTransferOutcome(
  executions: readonly ToolExecution[],
  events: readonly CallEvent[],
  endReason: string | null,
): ToolExecution[] {
  const wish = events.findLast((event) => event.kind === 'transfer_requested');
  return executions.map((execution) =>
    endReason === 'transferred' &&
    execution.status === 'cancelled' &&
    execution.tool_call_id === wish?.tool_call_id
      ? { ...execution, status: 'succeeded', result: 'The call is transferred.' }
      : execution,
  );
}

/** Returns the smallest value that at least `share` of the values do not exceed (nearest rank); null of none. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/** Returns one percentile of every stage, over the turns in which the stage happened. */
export function stagePercentiles(turns: readonly MeasuredTurn[], share: number): StagePercentiles {
  const of = (stage: keyof StagePercentiles) =>
    percentile(
      turns.flatMap((turn) => turn[stage] ?? []),
      share,
    );
  return {
    end_of_turn_delay_ms: of('end_of_turn_delay_ms'),
    stt_final_ms: of('stt_final_ms'),
    llm_first_token_ms: of('llm_first_token_ms'),
    tts_first_audio_ms: of('tts_first_audio_ms'),
    response_latency_ms: of('response_latency_ms'),
    barge_in_latency_ms: of('barge_in_latency_ms'),
    waveform_response_latency_ms: of('waveform_response_latency_ms'),
    waveform_barge_in_latency_ms: of('waveform_barge_in_latency_ms'),
  };
}
