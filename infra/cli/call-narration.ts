import { transcriptTurn, turnMetrics } from '@voice/shared/contracts/call-events';
import { callStatus } from '@voice/shared/contracts/primitives';
import { z } from 'zod';

/** What the narration reads of a call's detail. */
export const callDetail = z.object({
  status: callStatus,
  end_reason: z.string().nullable(),
  error_message: z.string().nullable().optional(),
  duration_ms: z.number().nullable(),
  recording_url: z.string().nullable(),
  transcript: z.array(transcriptTurn),
  metrics: z.object({ turns: z.array(turnMetrics) }),
});
export type CallDetail = z.infer<typeof callDetail>;

const LIVE = new Set(['QUEUED', 'RINGING', 'IN_PROGRESS']);
const STATUS_TEXT: Readonly<Record<CallDetail['status'], string>> = {
  QUEUED: 'queued',
  RINGING: 'ringing',
  IN_PROGRESS: 'answered',
  COMPLETED: 'completed',
  FAILED: 'FAILED',
  BUSY: 'busy',
  NO_ANSWER: 'no answer',
  VOICEMAIL: 'voicemail',
};

export const isOver = (detail: CallDetail): boolean => !LIVE.has(detail.status);

/** Turns successive looks at a call into lines, each said once. Pure but for what was said before. */
export class CallNarration {
  #status: CallDetail['status'] | undefined;
  readonly #told = new Set<number>();

  /** The lines that are new; `elapsedMs` since the call was asked for. */
  look(detail: CallDetail, elapsedMs: number): string[] {
    const lines: string[] = [];
    const clock = minutes(elapsedMs);
    if (detail.status !== this.#status && !isOver(detail))
      lines.push(`${clock}  · ${STATUS_TEXT[detail.status]}`);
    const latencies = responseLatencies(detail);
    for (const turn of [...detail.transcript].sort((a, b) => a.index - b.index)) {
      if (this.#told.has(turn.index)) continue;
      this.#told.add(turn.index);
      const latency = latencies.get(turn.index);
      const after = latency === undefined ? '' : `   [${Math.round(latency)} ms after the caller]`;
      lines.push(`${minutes(turn.started_at_ms)}  ${turn.role.padEnd(7)} ${turn.text}${after}`);
      if (turn.interrupted) lines.push(`               interrupted; heard: “${turn.heard_text}”`);
    }
    if (detail.status !== this.#status && isOver(detail)) lines.push(ending(detail, clock));
    this.#status = detail.status;
    return lines;
  }
}

function ending(detail: CallDetail, clock: string): string {
  const duration = detail.duration_ms ? `, ${(detail.duration_ms / 1000).toFixed(1)} s of media` : '';
  const reason = detail.end_reason ? ` (${detail.end_reason})` : '';
  const error = detail.error_message ? `: ${detail.error_message}` : '';
  return `${clock}  · ${STATUS_TEXT[detail.status]}${reason}${error}${duration}`;
}

/** `p50` and `p95` of the response latency in ms; undefined where no turn has one. */
export function latencySummary(detail: CallDetail): string | undefined {
  const values = measured(detail).sort((a, b) => a - b);
  if (values.length === 0) return undefined;
  const at = (share: number) =>
    Math.round(values[Math.min(values.length - 1, Math.ceil(share * values.length) - 1)]!);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms over ${values.length} answers`;
}

function measured(detail: CallDetail): number[] {
  return [...detail.metrics.turns]
    .sort((a, b) => a.turn - b.turn)
    .flatMap(({ response_latency_ms }) => (response_latency_ms === null ? [] : [response_latency_ms]));
}

/**
 * Which transcript entry a latency belongs to: the measured answers and the agent's entries that follow
 * the caller's are both in order. Without as many of one as of the other, from the front.
 */
function responseLatencies(detail: CallDetail): Map<number, number> {
  const turns = [...detail.transcript].sort((a, b) => a.index - b.index);
  const answers = turns.filter((turn, i) => turn.role === 'agent' && turns[i - 1]?.role === 'caller');
  const values = measured(detail);
  return new Map(
    answers.flatMap(({ index }, i) => (values[i] === undefined ? [] : [[index, values[i]] as const])),
  );
}

function minutes(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}
