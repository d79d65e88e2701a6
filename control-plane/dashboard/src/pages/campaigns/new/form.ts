import { z } from 'zod';

const whole = (least: number, most: number) =>
  z.coerce
    .number<string | number>({ error: 'Enter a number.' })
    .int('Enter a whole number.')
    .min(least, `At least ${least}.`)
    .max(most, `At most ${most.toLocaleString('en-US')}.`);
/** At most a week, in minutes. */
const delay = whole(1, 10_080);

/** How a campaign calls, as the form holds it. Delays in minutes. */
export const settingsForm = z.object({
  name: z.string().trim().min(1, 'Give the campaign a name.').max(255, 'At most 255 characters.'),
  agent_id: z.string().min(1, 'Choose who calls.'),
  caller_id: z.string(),
  calls_per_minute: whole(1, 6000),
  max_concurrent: whole(1, 1000),
  max_attempts: whole(1, 10),
  busy_delay: delay,
  no_answer_delay: delay,
  failed_delay: delay,
  /** As the browser's field for a local time writes it; empty: when it is launched. */
  starts: z.string(),
  /** One label a line. */
  outcomes: z
    .string()
    .refine((text) => labelsOf(text).length <= 50, 'At most 50 outcomes.')
    .refine((text) => labelsOf(text).every((label) => label.length <= 100), 'At most 100 characters each.'),
});
export type SettingsInput = z.input<typeof settingsForm>;
export type Settings = z.output<typeof settingsForm>;

export const DEFAULT_SETTINGS: SettingsInput = {
  name: '',
  agent_id: '',
  caller_id: '',
  calls_per_minute: 10,
  max_concurrent: 5,
  max_attempts: 3,
  busy_delay: 5,
  no_answer_delay: 60,
  failed_delay: 15,
  starts: '',
  outcomes: '',
};

/** Returns the labels of a text, one a line; each once. */
function labelsOf(text: string): string[] {
  return [
    ...new Set(
      text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    ),
  ];
}

/** Returns the settings as the API takes them, without contacts. */
export function settingsBody(settings: Settings) {
  return {
    name: settings.name,
    agent_id: settings.agent_id,
    caller_id: settings.caller_id || null,
    calls_per_minute: settings.calls_per_minute,
    max_concurrent: settings.max_concurrent,
    scheduled_start: settings.starts === '' ? null : new Date(settings.starts).toISOString(),
    outcome_labels: labelsOf(settings.outcomes),
    success_criteria: null,
    extraction_schema: null,
    retry_policy: {
      max_attempts: settings.max_attempts,
      busy_delay_seconds: settings.busy_delay * 60,
      no_answer_delay_seconds: settings.no_answer_delay * 60,
      failed_delay_seconds: settings.failed_delay * 60,
    },
  };
}
