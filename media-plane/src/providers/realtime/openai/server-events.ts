import { z } from 'zod';

/** The server events that matter here, read loosely: what the service adds later must not break a call. */

const count = z.number().nullish();
const reportedError = z.object({
  type: z.string().optional(),
  code: z.string().nullish(),
  message: z.string().optional(),
  param: z.string().nullish(),
  event_id: z.string().nullish(),
});

const responseUsage = z.object({
  input_token_details: z
    .object({
      text_tokens: count,
      audio_tokens: count,
      cached_tokens: count,
      cached_tokens_details: z.object({ text_tokens: count, audio_tokens: count }).nullish(),
    })
    .nullish(),
  output_token_details: z.object({ text_tokens: count, audio_tokens: count }).nullish(),
});
export type ResponseUsage = z.infer<typeof responseUsage>;

const transcriptionUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  input_token_details: z.object({ text_tokens: count, audio_tokens: count }).nullish(),
});
export type TranscriptionUsage = z.infer<typeof transcriptionUsage>;

const response = z.object({
  id: z.string(),
  status: z.string().optional(),
  status_details: z.object({ reason: z.string().optional(), error: reportedError.nullish() }).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  usage: responseUsage.nullish(),
});
export type ServerResponse = z.infer<typeof response>;

const item = z.object({
  id: z.string(),
  type: z.string(),
  status: z.string().optional(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
});

const TRANSCRIPTION = 'conversation.item.input_audio_transcription';
const SCHEMAS = {
  'session.created': z.object({
    type: z.literal('session.created'),
    /** `expires_at` is not in the SDK's types, but the service sends it: seconds since the epoch. */
    session: z.object({ expires_at: z.number().nullish() }),
  }),
  'session.updated': z.object({ type: z.literal('session.updated') }),
  'input_audio_buffer.speech_started': z.object({ type: z.literal('input_audio_buffer.speech_started') }),
  'input_audio_buffer.speech_stopped': z.object({ type: z.literal('input_audio_buffer.speech_stopped') }),
  [`${TRANSCRIPTION}.delta`]: z.object({
    type: z.literal(`${TRANSCRIPTION}.delta`),
    item_id: z.string(),
    delta: z.string().default(''),
  }),
  [`${TRANSCRIPTION}.completed`]: z.object({
    type: z.literal(`${TRANSCRIPTION}.completed`),
    item_id: z.string(),
    transcript: z.string(),
    usage: transcriptionUsage.nullish(),
  }),
  [`${TRANSCRIPTION}.failed`]: z.object({
    type: z.literal(`${TRANSCRIPTION}.failed`),
    item_id: z.string(),
    error: reportedError.nullish(),
  }),
  'response.created': z.object({ type: z.literal('response.created'), response }),
  'response.output_item.added': z.object({
    type: z.literal('response.output_item.added'),
    response_id: z.string(),
    item,
  }),
  'response.output_item.done': z.object({
    type: z.literal('response.output_item.done'),
    response_id: z.string(),
    item,
  }),
  'response.output_audio.delta': z.object({
    type: z.literal('response.output_audio.delta'),
    response_id: z.string(),
    item_id: z.string(),
    delta: z.string(),
  }),
  'response.output_audio_transcript.delta': z.object({
    type: z.literal('response.output_audio_transcript.delta'),
    response_id: z.string(),
    delta: z.string(),
  }),
  'response.function_call_arguments.delta': z.object({
    type: z.literal('response.function_call_arguments.delta'),
    response_id: z.string(),
  }),
  'response.output_text.delta': z.object({
    type: z.literal('response.output_text.delta'),
    response_id: z.string(),
    delta: z.string(),
  }),
  'response.done': z.object({ type: z.literal('response.done'), response }),
  error: z.object({ type: z.literal('error'), error: reportedError }),
} as const;

type Schemas = typeof SCHEMAS;
export type ServerEvent = { [T in keyof Schemas]: z.infer<Schemas[T]> }[keyof Schemas];
export type ReportedErrorEvent = z.infer<typeof reportedError>;

const envelope = z.object({ type: z.string() });

/** Parses an event that matters; `ignored` for one that does not, undefined for what is no event at all. */
export function parseServerEvent(text: string): ServerEvent | 'ignored' | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (isAudioDelta(json)) return json;
  const known = envelope.safeParse(json);
  if (!known.success) return undefined;
  const { type } = known.data;
  if (!Object.hasOwn(SCHEMAS, type)) return 'ignored';
  const parsed = SCHEMAS[type as keyof Schemas].safeParse(json);
  return parsed.success ? parsed.data : undefined;
}

type AudioDelta = z.infer<Schemas['response.output_audio.delta']>;

/** Checks audio deltas by hand: most messages and nearly all bytes are these. */
function isAudioDelta(json: unknown): json is AudioDelta {
  const event = json as Partial<AudioDelta> | null;
  return (
    typeof event === 'object' &&
    event?.type === 'response.output_audio.delta' &&
    typeof event.delta === 'string' &&
    typeof event.response_id === 'string' &&
    typeof event.item_id === 'string'
  );
}
