import type { TranscriptTurn } from '@voice/shared/contracts/call-events';
import type { HistoryEntry } from '../effects.js';

/**
 * Adds a turn to the transcript; throws for one that breaks the reducer's promises. `mayLeaveGaps`: a turn whose words
 * are learnt afterwards leaves its place open.
 */
export function addToTranscript(
  transcript: TranscriptTurn[],
  entry: TranscriptTurn,
  { mayLeaveGaps }: { readonly mayLeaveGaps: boolean },
): void {
  const known = transcript[entry.index];
  if (entry.index > transcript.length && !mayLeaveGaps) {
    throw new Error(`transcript index ${entry.index} leaves a gap`);
  }
  if (known && (known.role !== 'caller' || entry.role !== 'caller')) {
    throw new Error(`transcript index ${entry.index} is used twice`);
  }
  if (entry.ended_at_ms < entry.started_at_ms) {
    throw new Error(`transcript index ${entry.index} ends before it starts`);
  }
  transcript[entry.index] = entry;
}

/** Throws when the model's history is not what the caller heard of the agent. */
export function checkHistory(history: readonly HistoryEntry[], heard: readonly string[]): void {
  const remembered = history.flatMap((entry) =>
    entry.role === 'assistant' && entry.text !== '' ? [entry.text] : [],
  );
  if (remembered.join('|') !== heard.join('|')) {
    throw new Error(`history says "${remembered.join('|')}", heard was "${heard.join('|')}"`);
  }
}
