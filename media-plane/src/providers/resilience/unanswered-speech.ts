interface Span {
  readonly fromMs: number;
  /** Infinity while it goes on. */
  readonly toMs: number;
}

/** Keeps where the caller spoke and no final text has come yet. Positions are ms of the call's audio. */
export class UnansweredSpeech {
  #spans: readonly Span[] = [];

  /** Returns whether the caller speaks now. */
  get isSpeaking(): boolean {
    return this.#spans.at(-1)?.toMs === Number.POSITIVE_INFINITY;
  }

  heard(speaking: boolean, atMs: number): void {
    if (speaking && !this.isSpeaking) {
      this.#spans = [...this.#spans, { fromMs: atMs, toMs: Number.POSITIVE_INFINITY }];
    } else if (!speaking) {
      this.#spans = this.#spans.map((span) =>
        span.toMs === Number.POSITIVE_INFINITY ? { ...span, toMs: Math.max(span.fromMs, atMs) } : span,
      );
    }
  }

  /** Forgets what lies before the end of a final text. */
  settle(beforeMs: number): void {
    this.#spans = this.#spans
      .filter(({ toMs }) => toMs > beforeMs)
      .map((span) => ({ ...span, fromMs: Math.max(span.fromMs, beforeMs) }));
  }

  /** Takes out the speech before the position: nobody will hear it any more. Returns how much it was, in ms. */
  lose(beforeMs: number): number {
    const lostMs = this.#spans.reduce(
      (sum, { fromMs, toMs }) => sum + Math.max(0, Math.min(toMs, beforeMs) - fromMs),
      0,
    );
    this.settle(beforeMs);
    return lostMs;
  }

  /** Returns what the detector found in the audio from a position on, in order. */
  *changes(sinceMs: number): Generator<{ readonly speaking: boolean; readonly atMs: number }> {
    for (const { fromMs, toMs } of this.#spans) {
      if (toMs <= sinceMs) continue;
      yield { speaking: true, atMs: Math.max(fromMs, sinceMs) };
      if (toMs !== Number.POSITIVE_INFINITY) yield { speaking: false, atMs: toMs };
    }
  }
}
