import type { TurnMetrics } from '@voice/shared/contracts/call-events';

export function seconds(ms: number): string;
export function clock(ms: number): string;
export function median(values: readonly number[]): number | null;
export function latencyDetails(metrics: TurnMetrics): string;
export function qualityText(statistics: {
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly roundTripMs: number | null;
}): string;
