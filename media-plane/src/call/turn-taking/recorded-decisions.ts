import { turnTakingSettings } from '@voice/shared/contracts/agent';
import { z } from 'zod';
import type { Effect } from './effects.js';
import type { TurnTakingEvent } from './events.js';
import type { TurnTakingOptions } from './port.js';

/** One decision of a call, as it was made. */
export interface RecordedDecision {
  readonly event: TurnTakingEvent;
  readonly effects: readonly Effect[];
}

/** Says why a decision log cannot be read. */
export class DecisionLogError extends Error {
  /** @param line 1 for the first line */
  constructor(line: number, reason: string) {
    super(`line ${line} of the decision log: ${reason}`);
    this.name = 'DecisionLogError';
  }
}

const estimate = z.object({
  count: z.number().int().nonnegative(),
  mean: z.number(),
  deviation: z.number().nonnegative(),
});

const header = z.object({
  options: z.object({
    settings: turnTakingSettings,
    disclosure: z.string().nullable(),
    firstMessage: z.string(),
    language: z.string(),
    hearsWords: z.boolean().optional(),
    maxDurationMs: z.number().nonnegative(),
    silenceTimeoutMs: z.number().nonnegative(),
    turnDeadlineMs: z.number().nonnegative().optional(),
    recogniser: z.object({ finalMs: estimate, revised: estimate }).optional(),
    voicemail: z.object({
      detect: z.boolean(),
      action: z.enum(['hangup', 'leave_message']),
      message: z.string(),
    }),
  }),
});

/** Every event that turn-taking knows: one that is missing here does not compile. */
const KNOWN: Readonly<Record<TurnTakingEvent['type'], true>> = {
  speech_started: true,
  speech_stopped: true,
  transcript: true,
  end_of_turn: true,
  turn_completion: true,
  eager_end_of_turn: true,
  turn_resumed: true,
  transcribed: true,
  dtmf: true,
  text: true,
  tool_call: true,
  generation_finished: true,
  generation_failed: true,
  audio_ready: true,
  playback: true,
  playback_finished: true,
  cleared: true,
  call_started: true,
  tool_finished: true,
  whisper: true,
  operator_hangup: true,
  machine_detected: true,
  beep: true,
  timer: true,
  carrier_stopped: true,
  limit_reached: true,
  conversation_replaced: true,
  handoff_ready: true,
  provider_failed: true,
};

export const EVENT_TYPES = Object.keys(KNOWN) as TurnTakingEvent['type'][];

/** The fields of each event were checked when it happened; here it is only made sure that it is one. */
const decision = z.object({
  event: z.looseObject({ type: z.enum(EVENT_TYPES), at: z.number() }),
  effects: z.array(z.looseObject({ type: z.string() })),
});

/** A line of a decision log: the options of the call, which come first, or one decision. */
export type DecisionLogLine =
  | { readonly kind: 'options'; readonly options: TurnTakingOptions }
  | { readonly kind: 'decision'; readonly decision: RecordedDecision };

/**
 * Reads a call's decision log line by line.
 *
 * @param lines the options first, then one decision each; empty lines are skipped
 * @throws DecisionLogError
 */
export function* decisionLogLines(lines: Iterable<string>): Generator<DecisionLogLine, void> {
  let line = 0;
  let begun = false;
  for (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    if (begun) {
      yield { kind: 'decision', decision: parse(decision, text, line) as unknown as RecordedDecision };
    } else {
      begun = true;
      yield { kind: 'options', options: parse(header, text, line).options };
    }
  }
  if (!begun) throw new DecisionLogError(1, 'it is empty');
}

/** Reads a whole decision log. Throws as `decisionLogLines` does. */
export function readDecisionLog(lines: Iterable<string>): {
  readonly options: TurnTakingOptions;
  readonly decisions: readonly RecordedDecision[];
} {
  const read = [...decisionLogLines(lines)];
  const [first] = read;
  if (first?.kind !== 'options') throw new DecisionLogError(1, 'it is empty');
  return {
    options: first.options,
    decisions: read.flatMap((line) => (line.kind === 'decision' ? [line.decision] : [])),
  };
}

function parse<T>(schema: z.ZodType<T>, text: string, line: number): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DecisionLogError(line, 'not JSON');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new DecisionLogError(line, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a decision'}`);
}
