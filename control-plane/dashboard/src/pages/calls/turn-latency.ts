import type { TranscriptTurn, TurnMetrics } from '../../api/types.js';

/** The stages of an answer, in the order in which a caller waits for them. */
export const STAGES = [
  { key: 'endpointing', label: 'End of turn', mark: 'end_of_turn_delay_ms' },
  { key: 'stt', label: 'Recogniser', mark: 'stt_final_ms' },
  { key: 'llm', label: 'Model', mark: 'llm_first_token_ms' },
  { key: 'tts', label: 'Voice', mark: 'tts_first_audio_ms' },
  { key: 'line', label: 'Line', mark: 'response_latency_ms' },
] as const;
export type Stage = (typeof STAGES)[number]['key'];

/** When each stage of an answer was done, in ms since the caller's last speech; null where it did not happen. */
export type StageMarks = Pick<TurnMetrics, (typeof STAGES)[number]['mark']>;

export interface StageWait {
  readonly stage: Stage;
  readonly label: string;
  /** How long the caller waited for this stage alone, in ms. */
  readonly ms: number;
}

/**
 * What a caller waited for before an answer, in ms. The marks of a turn all count from the caller's last speech, and
 * stages overlap (an answer that was begun early has its first word before the turn was over): a stage is charged
 * only with what it added to the wait. Empty where nothing was measured.
 */
export function waits(metrics: StageMarks): readonly StageWait[] {
  let reached = 0;
  const found: StageWait[] = [];
  for (const { key, label, mark } of STAGES) {
    const at = metrics[mark];
    if (at === null || at <= reached) continue;
    found.push({ stage: key, label, ms: at - reached });
    reached = at;
  }
  return found;
}

/** An answer further from the turn's begin than this is another one's, in ms. */
const APART_MS = 1500;

/** The metrics of each agent turn, by the turn's index: the one that began to sound when the turn did. */
export function latenciesByTurn(
  transcript: readonly TranscriptTurn[],
  metrics: readonly TurnMetrics[],
): ReadonlyMap<number, TurnMetrics> {
  const byTurn = new Map<number, TurnMetrics>();
  const answers = transcript.filter(({ role }) => role === 'agent');
  for (const one of metrics) {
    const at = one.audible_at_ms ?? null;
    if (at === null) continue;
    const distance = (turn: TranscriptTurn) => Math.abs(turn.started_at_ms - at);
    const nearest = answers
      .filter(({ index }) => !byTurn.has(index))
      .reduce<TranscriptTurn | null>(
        (best, turn) => (best === null || distance(turn) < distance(best) ? turn : best),
        null,
      );
    if (nearest !== null && distance(nearest) <= APART_MS) byTurn.set(nearest.index, one);
  }
  return byTurn;
}
