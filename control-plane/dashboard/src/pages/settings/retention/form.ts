import { z } from 'zod';
import type { RetentionSettings } from '../../../api/types.js';

/** The parts that are kept for a time of their own, in words. */
export const PARTS = [
  { name: 'recordings_days', label: 'Recordings', hint: 'The sound of calls.' },
  {
    name: 'transcripts_days',
    label: 'Transcripts',
    hint: 'What was said, and what tools were given and gave. Summary and outcome stay.',
  },
  {
    name: 'calls_days',
    label: 'Calls',
    hint: 'Everything that names or quotes somebody. What was counted stays: times, outcome, cost.',
  },
] as const satisfies readonly { readonly name: keyof RetentionSettings; label: string; hint: string }[];

const days = z
  .string()
  .trim()
  .refine((text) => text === '' || /^\d+$/.test(text), 'A whole number of days, or nothing for ever.')
  .refine((text) => text === '' || (Number(text) >= 1 && Number(text) <= 3650), 'From 1 to 3650 days.');

export const retentionForm = z.object({ recordings_days: days, transcripts_days: days, calls_days: days });
export type RetentionForm = z.infer<typeof retentionForm>;

/** What the fields show of the settings: nothing where a part is kept for ever. */
export const formOf = (settings: RetentionSettings): RetentionForm => ({
  recordings_days: String(settings.recordings_days ?? ''),
  transcripts_days: String(settings.transcripts_days ?? ''),
  calls_days: String(settings.calls_days ?? ''),
});

/** The settings that the fields say. */
export const settingsOf = (form: RetentionForm): RetentionSettings => ({
  recordings_days: daysOf(form.recordings_days),
  transcripts_days: daysOf(form.transcripts_days),
  calls_days: daysOf(form.calls_days),
});

const daysOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** Whether something that is kept now may be erased by the change. */
export function erasesMore(before: RetentionSettings, after: RetentionSettings): boolean {
  const forEver = Number.POSITIVE_INFINITY;
  return PARTS.some(({ name }) => (after[name] ?? forEver) < (before[name] ?? forEver));
}
