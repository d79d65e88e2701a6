/** A call in the form of the API's answer; times in epoch ms. */
export interface MeasuredCall {
  readonly contactId: string;
  readonly status: string;
  readonly queuedAt: number;
  readonly endedAt: number;
}

export interface Measured {
  readonly calls: number;
  /** Calls begun a minute, from the first to the last. */
  readonly perMinute: number;
  /** How far that is from what was asked for; 0.02 is 2 %. */
  readonly deviation: number;
  readonly mostAtOnce: number;
  readonly calledTwice: number;
  readonly byStatus: Readonly<Record<string, number>>;
}

/** Counts the most calls that were live at one moment. Of one that ends when another begins, both do not count. */
export function mostAtOnce(calls: readonly MeasuredCall[]): number {
  const changes = calls.flatMap(({ queuedAt, endedAt }) => [
    { at: queuedAt, by: 1 },
    { at: endedAt, by: -1 },
  ]);
  changes.sort((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  let most = 0;
  for (const { by } of changes) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

/** Measures a campaign by its calls. Pure. */
export function measure(calls: readonly MeasuredCall[], asked: { readonly perMinute: number }): Measured {
  const queued = calls.map(({ queuedAt }) => queuedAt).sort((a, b) => a - b);
  const tookMs = (queued.at(-1) ?? 0) - (queued[0] ?? 0);
  const perMinute = tookMs === 0 ? 0 : ((calls.length - 1) * 60_000) / tookMs;
  const byStatus: Record<string, number> = {};
  for (const { status } of calls) byStatus[status] = (byStatus[status] ?? 0) + 1;
  return {
    calls: calls.length,
    perMinute,
    deviation: perMinute / asked.perMinute - 1,
    mostAtOnce: mostAtOnce(calls),
    calledTwice: calls.length - new Set(calls.map(({ contactId }) => contactId)).size,
    byStatus,
  };
}
