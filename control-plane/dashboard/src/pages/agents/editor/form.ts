import { z } from 'zod';
import type { Agent } from '../../../api/types.js';
import { PHONE_HINT, phoneOf } from '../../../format/phone.js';
import { toolForm } from './tools/tool-form.js';

const words = (max: number) => z.string().max(max, `At most ${max} characters.`);
/** As the API takes them, in ms. */
export const RANGES = {
  min_endpointing_ms: [0, 5000],
  max_endpointing_ms: [200, 15_000],
  barge_in_min_speech_ms: [20, 5000],
} as const;
const ms = ([min, max]: readonly [number, number]) =>
  z
    .number('Enter a number.')
    .int('Whole milliseconds.')
    .min(min, `At least ${min}.`)
    .max(max, `At most ${max}.`);
const phone = z
  .string()
  .transform((written) => phoneOf(written) ?? written)
  .pipe(z.string().regex(/^\+[1-9]\d{1,14}$/, PHONE_HINT));
const choice = z.object({
  provider: z.string(),
  model: z.string(),
  params: z.record(z.string(), z.unknown()),
});

export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/);
const hours = z
  .object({ start: time, end: time })
  .refine(({ start, end }) => start < end)
  .nullable();

/** What the editor's form holds of an agent. Everything else of the agent stays as it is. */
export const agentForm = z.object({
  name: words(255).trim().min(1, 'Give the agent a name.'),
  is_active: z.boolean(),
  language: z.string().min(2, 'As en-US.').max(35),
  first_message: words(4000),
  system_prompt: words(50_000).min(1, 'Say how the agent behaves.'),
  voice_config: z.object({
    stt: choice.optional(),
    llm: choice.optional(),
    tts: choice.optional(),
    realtime: choice.optional(),
  }),
  tools: z.array(toolForm),
  transfer_destinations: z
    .array(
      z.object({
        name: words(100).trim().min(1, 'Name it, as the model is to choose it.'),
        phone_number: phone,
      }),
    )
    .superRefine((destinations, context) => {
      destinations.forEach(({ name }, at) => {
        if (destinations.findIndex((other) => other.name === name) === at) return;
        context.addIssue({ code: 'custom', path: [at, 'name'], message: 'Another one has this name.' });
      });
    }),
  turn_taking: z.object({
    min_endpointing_ms: ms(RANGES.min_endpointing_ms),
    max_endpointing_ms: ms(RANGES.max_endpointing_ms),
    barge_in_min_speech_ms: ms(RANGES.barge_in_min_speech_ms),
    barge_in_min_words: z.number('Enter a number.').int().min(1, 'At least 1.').max(20, 'At most 20.'),
    preemptive_generation: z.enum(['off', 'llm', 'llm_and_voice']),
    turn_detection: z.enum(['service', 'provider']),
    semantic_end_of_turn: z.enum(['off', 'on']),
  }),
  max_duration_seconds: z
    .number('Enter a number.')
    .int('Whole seconds.')
    .min(10, 'At least 10.')
    .max(14_400, 'At most 14400.'),
  silence_timeout_seconds: z.number('Enter a number.').min(2, 'At least 2.').max(300, 'At most 300.'),
  calling_hours: z.object({
    timezone: z.string().nullable(),
    monday: hours,
    tuesday: hours,
    wednesday: hours,
    thursday: hours,
    friday: hours,
    saturday: hours,
    sunday: hours,
  }),
  disclosure: z.object({ text: z.string() }),
  recording: z.object({ enabled: z.boolean(), announce: z.boolean(), announcement: z.string() }),
  voicemail: z.object({
    detect: z.boolean(),
    action: z.enum(['hangup', 'leave_message']),
    message: words(1000),
  }),
  nudge_presets: z.array(
    z.object({
      id: z.string().optional(),
      label: z.string().min(1, 'Say what the button says.'),
      text: z.string().min(1, 'Say what is whispered.'),
    }),
  ),
  analysis: z.object({
    enabled: z.boolean(),
    scorecard: z.array(
      z.object({
        name: z.string().min(1, 'Name it.'),
        description: words(1000),
        weight: z.number('Enter a number.').min(0, 'At least 0.').max(100, 'At most 100.'),
      }),
    ),
  }),
});
export type AgentForm = z.infer<typeof agentForm>;

/** What an agent does at the beep, by the message that was entered for it. */
export const voicemailAction = (message: string): AgentForm['voicemail']['action'] =>
  message.trim() === '' ? 'hangup' : 'leave_message';

/** The form of an agent as it is stored; nothing is judged of it, for the service took it. */
export function formOf(agent: Agent): AgentForm {
  const { turn_taking: turns, calling_hours: hours, recording, voicemail, analysis } = agent;
  return {
    name: agent.name,
    is_active: agent.is_active,
    language: agent.language,
    first_message: agent.first_message,
    system_prompt: agent.system_prompt,
    voice_config: agent.voice_config,
    tools: agent.tools,
    transfer_destinations: agent.transfer_destinations,
    turn_taking: {
      min_endpointing_ms: turns.min_endpointing_ms,
      max_endpointing_ms: turns.max_endpointing_ms,
      barge_in_min_speech_ms: turns.barge_in_min_speech_ms,
      barge_in_min_words: turns.barge_in_min_words,
      preemptive_generation: turns.preemptive_generation,
      turn_detection: turns.turn_detection,
      semantic_end_of_turn: turns.semantic_end_of_turn,
    },
    max_duration_seconds: agent.max_duration_seconds,
    silence_timeout_seconds: agent.silence_timeout_seconds,
    calling_hours: hours,
    disclosure: { text: agent.disclosure.text },
    recording: {
      enabled: recording.enabled,
      announce: recording.announce,
      announcement: recording.announcement,
    },
    voicemail: { detect: voicemail.detect, action: voicemail.action, message: voicemail.message },
    nudge_presets: agent.nudge_presets,
    analysis: { enabled: analysis.enabled, scorecard: analysis.scorecard },
  };
}

/** What of the form differs from what it began with, by top-level field: the body of a PATCH. */
export function changesOf(begun: AgentForm, edited: AgentForm): Partial<AgentForm> {
  const keys = Object.keys(edited) as (keyof AgentForm)[];
  return Object.fromEntries(
    keys.filter((key) => textOf(begun[key]) !== textOf(edited[key])).map((key) => [key, edited[key]]),
  );
}

/** The fields of a save that another save has changed since the form began, to something else. */
export function conflictsOf(begun: AgentForm, stored: AgentForm, edited: AgentForm): (keyof AgentForm)[] {
  const theirs = changesOf(begun, stored);
  const differing = changesOf(stored, edited);
  const ours = Object.keys(changesOf(begun, edited)) as (keyof AgentForm)[];
  return ours.filter((key) => key in theirs && key in differing);
}

/** A value as text, whatever the order in which its fields are written. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => a.localeCompare(b)))
      : part,
  );
