import { randomOf } from '../system/seeded-random.js';

/** What happens to the system and what it depends on, and when. */
export type Fault = { readonly atMs: number } & (
  | { readonly kind: 'kill'; readonly process: string }
  | { readonly kind: 'freeze'; readonly process: string; readonly forMs: number }
  | { readonly kind: 'full_disk'; readonly forMs: number }
  /** Those that write wait for the disk most of the time. */
  | { readonly kind: 'slow_disk'; readonly forMs: number }
  /** Every connection of the process is reset. */
  | { readonly kind: 'cut_connections'; readonly process: string }
  /** A provider refuses connections, or takes them and is mute. */
  | {
      readonly kind: 'provider_outage';
      readonly provider: string;
      readonly how: 'refuses' | 'is mute';
      readonly forMs: number;
    }
);

export interface FaultPlanOptions {
  readonly seed: number;
  readonly faults: number;
  /** They are spread over this time. */
  readonly durationMs: number;
  /** Names of processes that may be killed, frozen and cut off. */
  readonly processes: readonly string[];
  /** Names of providers that may fail. */
  readonly providers: readonly string[];
}

const FREEZE_MS = [2000, 10_000] as const;
const FULL_DISK_MS = [3000, 8000] as const;
const SLOW_DISK_MS = [4000, 12_000] as const;
const OUTAGE_MS = [4000, 15_000] as const;

/** How often each kind comes, of ten. */
const KINDS: readonly Fault['kind'][] = [
  'kill',
  'kill',
  'kill',
  'freeze',
  'freeze',
  'full_disk',
  'slow_disk',
  'cut_connections',
  'cut_connections',
  'provider_outage',
];

/** Plans the faults that a seed stands for, in order of time. Pure. */
export function planFaults({ seed, faults, durationMs, processes, providers }: FaultPlanOptions): Fault[] {
  const random = randomOf(seed);
  const slot = durationMs / Math.max(1, faults);
  return Array.from({ length: faults }, (_, n) => {
    const atMs = Math.round((n + random()) * slot);
    return chooseFault(atMs, random, processes, providers);
  });
}

function chooseFault(
  atMs: number,
  random: () => number,
  processes: readonly string[],
  providers: readonly string[],
): Fault {
  const between = ([from, to]: readonly [number, number]) => Math.round(from + random() * (to - from));
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const kind = oneOf(KINDS);
  switch (kind) {
    case 'kill':
    case 'cut_connections':
      return { atMs, kind, process: oneOf(processes) };
    case 'freeze':
      return { atMs, kind, process: oneOf(processes), forMs: between(FREEZE_MS) };
    case 'full_disk':
      return { atMs, kind, forMs: between(FULL_DISK_MS) };
    case 'slow_disk':
      return { atMs, kind, forMs: between(SLOW_DISK_MS) };
    case 'provider_outage': {
      const how = oneOf(['refuses', 'is mute'] as const);
      return { atMs, kind, provider: oneOf(providers), how, forMs: between(OUTAGE_MS) };
    }
  }
}
