import type { UsageSummary } from '../../api/types.js';

type Cost = UsageSummary['totals']['cost'];

const PARTS = [
  ['stt', 'Speech to text'],
  ['llm', 'Language model'],
  ['tts', 'Voice'],
  ['carrier', 'Carrier'],
  ['service', 'Service'],
] as const satisfies readonly (readonly [keyof Cost, string])[];

interface CostPart {
  readonly name: string;
  readonly usd: number;
  /** Of the total, 0 to 1. */
  readonly share: number;
}

/** The parts of a cost, the largest first; those that cost nothing are left out. */
export function costParts(cost: Cost): CostPart[] {
  return PARTS.map(([key, name]) => ({
    name,
    usd: cost[key],
    share: cost.total > 0 ? cost[key] / cost.total : 0,
  }))
    .filter(({ usd }) => usd > 0)
    .sort((a, b) => b.usd - a.usd);
}

/** How much of the daily cap is spent, 0 to 1; null without a cap. A cap of 0 is spent. */
export function capShare({ limit_usd, spent_usd }: UsageSummary['daily_cap']): number | null {
  if (limit_usd === null) return null;
  return limit_usd === 0 ? 1 : Math.min(1, spent_usd / limit_usd);
}

/** The days with the height of their bar, 0 to 1 of the day with the most minutes. */
export function barsOf(
  daily: UsageSummary['daily'],
): (UsageSummary['daily'][number] & { readonly height: number })[] {
  const most = Math.max(0, ...daily.map(({ minutes }) => minutes));
  return daily.map((day) => ({ ...day, height: most === 0 ? 0 : day.minutes / most }));
}

/** `1,204.5 min`. */
export function minutesText(minutes: number): string {
  return `${minutes.toLocaleString('en-US', { maximumFractionDigits: 1 })} min`;
}
