/** What happens to the system, and when. */
export type Fault = { readonly atMs: number } & (
  | { readonly kind: 'kill'; readonly process: string }
  | { readonly kind: 'freeze'; readonly process: string; readonly forMs: number }
  | { readonly kind: 'full_disk'; readonly forMs: number }
);

export interface FaultPlanOptions {
  readonly seed: number;
  readonly faults: number;
  /** They are spread over this time. */
  readonly durationMs: number;
  /** Names of processes that may be killed and frozen. */
  readonly processes: readonly string[];
}

const FREEZE_MS = [2000, 10_000] as const;
const FULL_DISK_MS = [3000, 8000] as const;

/**
 * Plans the faults that a seed stands for, in order of time: two fifths kills, two fifths freezes, a fifth full
 * disks. Pure.
 */
export function planFaults({ seed, faults, durationMs, processes }: FaultPlanOptions): Fault[] {
  const random = randomOf(seed);
  const between = ([from, to]: readonly [number, number]) => Math.round(from + random() * (to - from));
  const slot = durationMs / Math.max(1, faults);
  return Array.from({ length: faults }, (_, n): Fault => {
    const atMs = Math.round((n + random()) * slot);
    const process = processes[Math.floor(random() * processes.length)]!;
    const dice = random() * 5;
    if (dice < 2) return { atMs, kind: 'kill', process };
    if (dice < 4) return { atMs, kind: 'freeze', process, forMs: between(FREEZE_MS) };
    return { atMs, kind: 'full_disk', forMs: between(FULL_DISK_MS) };
  });
}

/** Generates numbers in [0, 1) from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
