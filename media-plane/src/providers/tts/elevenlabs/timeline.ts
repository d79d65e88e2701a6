import type { SpeechAlignment } from '../port.js';

/**
 * Puts the alignments of a turn's chunks one after another. Each counts from its own start, and a chunk's
 * alignment need not be as long as its audio (only the sums agree), so the clock that moves on
 * is the alignments' own.
 */
export class Timeline {
  #endMs = 0;

  place(chunk: SpeechAlignment): SpeechAlignment {
    const offsetMs = this.#endMs;
    const last = chunk.chars.length - 1;
    if (last >= 0) this.#endMs += chunk.startMs[last]! + chunk.durationMs[last]!;
    return {
      chars: chunk.chars,
      startMs: chunk.startMs.map((ms) => ms + offsetMs),
      durationMs: chunk.durationMs,
    };
  }
}
