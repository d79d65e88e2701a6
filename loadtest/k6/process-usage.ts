import { type Usage, usageOf } from '@voice/shared/process/built-program';

/** A process, or several that are counted as one. */
export interface Watched {
  readonly name: string;
  pids(): readonly number[];
}

export interface UsagePoint {
  /** `Date.now()` */
  readonly at: number;
  /** Share of one core since the point before. */
  readonly cores: number;
  /** Resident memory, in bytes. */
  readonly memory: number;
}

const EVERY_MS = 2000;

/** Samples what processes take, by proc(5). */
export class ProcessUsage {
  readonly #watched: readonly Watched[];
  readonly #last = new Map<string, { readonly at: number; readonly usage: Usage }>();
  readonly points = new Map<string, UsagePoint[]>();
  readonly #timer: NodeJS.Timeout;

  constructor(watched: readonly Watched[]) {
    this.#watched = watched;
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    for (const { name, pids } of this.#watched) {
      const at = Date.now();
      let usage: Usage;
      try {
        usage = usageOf(pids());
      } catch {
        // It ended in this moment.
        continue;
      }
      const last = this.#last.get(name);
      this.#last.set(name, { at, usage });
      if (!last || usage.cpuMs < last.usage.cpuMs) continue;
      const points = this.points.get(name) ?? [];
      this.points.set(name, points);
      points.push({
        at,
        cores: (usage.cpuMs - last.usage.cpuMs) / Math.max(1, at - last.at),
        memory: usage.memory,
      });
    }
  }
}
