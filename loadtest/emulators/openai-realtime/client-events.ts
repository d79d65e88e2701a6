import { z } from 'zod';
import {
  audioFormat,
  functionTool,
  maxOutputTokens,
  modalities,
  sessionUpdate,
  toolChoice,
  voice,
} from './session-schema.js';

/**
 * Client events by `openai/resources/realtime/realtime.d.ts` of openai 7.55.0; what the types do not have is
 * refused.
 */

const itemBase = {
  id: z.string().min(1).max(32).optional(),
  object: z.literal('realtime.item').optional(),
  status: z.enum(['completed', 'incomplete', 'in_progress']).optional(),
};
const inputText = z.strictObject({ type: z.literal('input_text'), text: z.string() });

const newItem = z.union([
  z.discriminatedUnion('role', [
    z.strictObject({
      ...itemBase,
      type: z.literal('message'),
      role: z.literal('system'),
      content: z.array(inputText).min(1),
    }),
    z.strictObject({
      ...itemBase,
      type: z.literal('message'),
      role: z.literal('user'),
      content: z
        .array(
          z.discriminatedUnion('type', [
            inputText,
            z.strictObject({
              type: z.literal('input_audio'),
              audio: z.base64(),
              transcript: z.string().optional(),
            }),
          ]),
        )
        .min(1),
    }),
    z.strictObject({
      ...itemBase,
      type: z.literal('message'),
      role: z.literal('assistant'),
      content: z.array(z.strictObject({ type: z.literal('output_text'), text: z.string() })).min(1),
    }),
  ]),
  z.discriminatedUnion('type', [
    z.strictObject({
      ...itemBase,
      type: z.literal('function_call'),
      call_id: z.string().min(1).max(32).optional(),
      name: z.string().min(1),
      arguments: z.string(),
    }),
    z.strictObject({
      ...itemBase,
      type: z.literal('function_call_output'),
      call_id: z.string().min(1).max(32),
      output: z.string(),
    }),
  ]),
]);
export type NewItem = z.infer<typeof newItem>;

const itemReference = z.strictObject({ type: z.literal('item_reference'), id: z.string().min(1) });

const responseParams = z.strictObject({
  instructions: z.string().optional(),
  conversation: z.enum(['auto', 'none']).default('auto'),
  output_modalities: modalities.optional(),
  tools: z.array(functionTool).optional(),
  tool_choice: toolChoice.optional(),
  max_output_tokens: maxOutputTokens.optional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  input: z.array(z.union([itemReference, newItem])).optional(),
  audio: z
    .strictObject({
      output: z.strictObject({ format: audioFormat.optional(), voice: voice.optional() }).optional(),
    })
    .optional(),
});
export type ResponseParams = z.infer<typeof responseParams>;

const base = { event_id: z.string().max(512).optional() };

const CLIENT_EVENTS = {
  'session.update': z.strictObject({ ...base, type: z.literal('session.update'), session: sessionUpdate }),
  'input_audio_buffer.append': z.strictObject({
    ...base,
    type: z.literal('input_audio_buffer.append'),
    audio: z.string(),
  }),
  'input_audio_buffer.commit': z.strictObject({ ...base, type: z.literal('input_audio_buffer.commit') }),
  'input_audio_buffer.clear': z.strictObject({ ...base, type: z.literal('input_audio_buffer.clear') }),
  'output_audio_buffer.clear': z.strictObject({ ...base, type: z.literal('output_audio_buffer.clear') }),
  'conversation.item.create': z.strictObject({
    ...base,
    type: z.literal('conversation.item.create'),
    previous_item_id: z.string().nullish(),
    item: newItem,
  }),
  'conversation.item.retrieve': z.strictObject({
    ...base,
    type: z.literal('conversation.item.retrieve'),
    item_id: z.string(),
  }),
  'conversation.item.delete': z.strictObject({
    ...base,
    type: z.literal('conversation.item.delete'),
    item_id: z.string(),
  }),
  'conversation.item.truncate': z.strictObject({
    ...base,
    type: z.literal('conversation.item.truncate'),
    item_id: z.string(),
    content_index: z.literal(0),
    audio_end_ms: z.int().min(0),
  }),
  'response.create': z.strictObject({
    ...base,
    type: z.literal('response.create'),
    response: responseParams.optional(),
  }),
  'response.cancel': z.strictObject({
    ...base,
    type: z.literal('response.cancel'),
    response_id: z.string().optional(),
  }),
} as const;

type ClientEventType = keyof typeof CLIENT_EVENTS;
export type ClientEvent = { [T in ClientEventType]: z.infer<(typeof CLIENT_EVENTS)[T]> }[ClientEventType];

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
}

export type ParsedEvent =
  | { readonly event: ClientEvent }
  | { readonly refusal: Refusal; readonly eventId: string | null };

const envelope = z.looseObject({ type: z.string(), event_id: z.string().optional() });

/** Reads one message as strictly as the service does. */
export function parseClientEvent(text: string): ParsedEvent {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    const message = 'Could not parse the message as JSON.';
    return { refusal: { code: 'invalid_json', message, param: null }, eventId: null };
  }
  const known = envelope.safeParse(json);
  if (!known.success) return { refusal: refusalOf(known.error, json), eventId: null };
  const eventId = known.data.event_id ?? null;
  const schema = Object.hasOwn(CLIENT_EVENTS, known.data.type)
    ? CLIENT_EVENTS[known.data.type as ClientEventType]
    : undefined;
  if (!schema) {
    const message = `Invalid value: '${known.data.type}'. Supported values are: ${quoted(Object.keys(CLIENT_EVENTS))}.`;
    return { refusal: { code: 'invalid_value', message, param: 'type' }, eventId };
  }
  const parsed = schema.safeParse(json);
  return parsed.success ? { event: parsed.data } : { refusal: refusalOf(parsed.error, json), eventId };
}

function refusalOf(error: z.ZodError, json: unknown): Refusal {
  const issue = deepest(error.issues[0]!);
  const param = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const unknown = [...issue.path.map(String), issue.keys[0]!].join('.');
    return { code: 'unknown_parameter', message: `Unknown parameter: '${unknown}'.`, param: unknown };
  }
  const value = at(json, issue.path);
  if (value === undefined) {
    return { code: 'missing_required_parameter', message: `Missing required parameter: '${param}'.`, param };
  }
  if (issue.code === 'invalid_type') {
    const message = `Invalid type for '${param}': expected ${issue.expected}, but got ${kindOf(value)} instead.`;
    return { code: 'invalid_type', message, param };
  }
  const message = `Invalid value for '${param}': ${issue.message}.`;
  return { code: 'invalid_value', message, param };
}

/** Finds, for a value that fits none of several shapes, the complaint of the shape that came closest. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue;
  const inner = issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map((candidate) => deepest({ ...candidate, path: [...issue.path, ...candidate.path] }))
    .toSorted((a, b) => b.path.length - a.path.length);
  const unknownKey = inner.find((candidate) => candidate.code === 'unrecognized_keys');
  return unknownKey ?? inner[0] ?? issue;
}

function at(json: unknown, path: readonly PropertyKey[]): unknown {
  let value = json;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return value;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(', ');
}
