import { transcriptTurn, turnMetrics } from '@voice/shared/contracts/call-events';
import { callStatus } from '@voice/shared/contracts/primitives';
import { z } from 'zod';

/** What the narration reads of a call's detail. */
export const callDetail = z.object({
  status: callStatus,
  end_reason: z.string().nullable(),
  error_message: z.string().nullable(),
  duration_ms: z.number().nullable(),
  queued_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  transcript: z.array(transcriptTurn),
  metrics: z.object({ turns: z.array(turnMetrics) }),
  events: z.array(z.object({ type: z.string(), at: z.iso.datetime() })),
});
export type CallDetail = z.infer<typeof callDetail>;

const LIVE = new Set(['QUEUED', 'RINGING', 'IN_PROGRESS']);
/** The texts of the timeline's steps that are shown. */
const STEPS: Readonly<Record<string, string>> = {
  'call.ringing': 'ringing',
  'call.started': 'answered',
  'call.completed': 'completed',
  'call.failed': 'FAILED',
  'call.busy': 'busy',
  'call.no_answer': 'no answer',
  'call.voicemail': 'voicemail',
  'call.corrected': 'corrected: its media worker had written down how it ended',
};

export const isOver = (detail: CallDetail): boolean => !LIVE.has(detail.status);

interface Line {
  /** Ms since the call was asked for. */
  readonly at: number;
  readonly text: string;
}

/** Turns successive looks at a call into lines, each said once, with the time since the call was asked for. */
export class CallNarration {
  readonly #shown = new Set<string>();

  /** Returns the lines that are new, in order of time. */
  look(detail: CallDetail): string[] {
    const lines = [
      ...this.#new(detail.events, ({ type }) => type).flatMap((event) => stepLine(event, detail)),
      ...this.#new(detail.transcript, ({ index }) => String(index)).flatMap((turn) =>
        turnLines(turn, detail),
      ),
    ];
    return lines.sort((a, b) => a.at - b.at).map(({ at, text }) => `${minutes(at)}  ${text}`);
  }

  #new<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] {
    return items.filter((item) => {
      const name = nameOf(item);
      const wasShown = this.#shown.has(name);
      this.#shown.add(name);
      return !wasShown;
    });
  }
}

function stepLine({ type, at }: CallDetail['events'][number], detail: CallDetail): Line[] {
  const step = STEPS[type];
  if (step === undefined) return [];
  const when = Date.parse(at) - Date.parse(detail.queued_at);
  if (type === 'call.ringing' || type === 'call.started') return [{ at: when, text: `· ${step}` }];
  const reason = detail.end_reason ? ` (${detail.end_reason})` : '';
  const error = detail.error_message ? `: ${detail.error_message}` : '';
  const duration = detail.duration_ms ? `, ${(detail.duration_ms / 1000).toFixed(1)} s long` : '';
  return [{ at: when, text: `· ${step}${reason}${error}${duration}` }];
}

function turnLines(turn: CallDetail['transcript'][number], detail: CallDetail): Line[] {
  const mediaStart = Date.parse(mediaStartedAt(detail)) - Date.parse(detail.queued_at);
  const at = mediaStart + turn.started_at_ms;
  const latency = responseLatencies(detail).get(turn.index);
  const after = latency === undefined ? '' : `   [${Math.round(latency)} ms after the caller]`;
  const line = { at, text: `${turn.role.padEnd(7)} ${turn.text}${after}` };
  if (!turn.interrupted) return [line];
  return [line, { at, text: `        (interrupted; heard: “${turn.heard_text}”)` }];
}

/** Turns count from there; the answer stands in for it until it is known. */
function mediaStartedAt({ events, started_at, queued_at }: CallDetail): string {
  return events.find(({ type }) => type === 'media.started')?.at ?? started_at ?? queued_at;
}

/** Formats `p50` and `p95` of the response latency in ms; undefined where no turn has one. */
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
 * Matches latencies with transcript entries: the measured answers and the agent's entries that follow
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
