import type { RetentionSettings } from '../identity/tenants/retention-settings.js';

/** What is kept for a time of its own: audio, what was said, and the call as a whole. */
const RETAINED_PARTS = ['recordings', 'transcripts', 'calls'] as const;
export type RetainedPart = (typeof RETAINED_PARTS)[number];

const DAY_MS = 24 * 60 * 60_000;

/** What is to be erased of calls from before a time (epoch ms). */
export interface DuePart {
  readonly part: RetainedPart;
  readonly before: number;
}

/**
 * Returns what is over by the settings of a tenant. Calls come first: what is erased with them is not erased twice.
 * Pure.
 */
export function partsDue(settings: RetentionSettings, now: number): DuePart[] {
  const days: Readonly<Record<RetainedPart, number | null>> = {
    recordings: settings.recordings_days,
    transcripts: settings.transcripts_days,
    calls: settings.calls_days,
  };
  const whole = days.calls;
  return [...RETAINED_PARTS]
    .reverse()
    .flatMap((part): DuePart[] =>
      days[part] === null || (part !== 'calls' && whole !== null && whole <= days[part])
        ? []
        : [{ part, before: now - days[part] * DAY_MS }],
    );
}
