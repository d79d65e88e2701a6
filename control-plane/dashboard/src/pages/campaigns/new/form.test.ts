import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS, settingsBody, settingsForm } from './form.js';

const AGENT = '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f';

it('turns what the fields hold into what the API takes', () => {
  const parsed = settingsForm.parse({
    ...DEFAULT_SETTINGS,
    name: ' Spring ',
    agent_id: AGENT,
    calls_per_minute: '30',
    outcomes: 'booked\n\n call back \nbooked',
    starts: '2026-01-05T09:30',
  });
  expect(settingsBody(parsed)).toMatchObject({
    name: 'Spring',
    caller_id: null,
    calls_per_minute: 30,
    scheduled_start: new Date('2026-01-05T09:30').toISOString(),
    outcome_labels: ['booked', 'call back'],
    retry_policy: { max_attempts: 3, busy_delay_seconds: 300, no_answer_delay_seconds: 3600 },
  });
});

it('says what is wrong at its field', () => {
  const { error } = settingsForm.safeParse({
    ...DEFAULT_SETTINGS,
    calls_per_minute: '',
    max_attempts: '2.5',
  });
  expect(Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [path[0], message]))).toEqual({
    name: 'Give the campaign a name.',
    agent_id: 'Choose who calls.',
    calls_per_minute: 'At least 1.',
    max_attempts: 'Enter a whole number.',
  });
});
