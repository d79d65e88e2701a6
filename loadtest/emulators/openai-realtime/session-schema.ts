import { z } from 'zod';

/** Shapes of a session's configuration, by `openai/resources/realtime/realtime.d.ts` of openai 7.55.0. */

export const audioFormat = z.discriminatedUnion('type', [
  // The types say that `rate` may be left out; the service was seen to insist on it.
  z.strictObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000) }),
  z.strictObject({ type: z.literal('audio/pcmu') }),
  z.strictObject({ type: z.literal('audio/pcma') }),
]);
export type RealtimeFormat = z.infer<typeof audioFormat>;

const turnDetection = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('server_vad'),
    threshold: z.number().min(0).max(1).default(0.5),
    prefix_padding_ms: z.int().min(0).default(300),
    silence_duration_ms: z.int().min(0).default(500),
    // The range is recalled from the API reference; the types do not give it.
    idle_timeout_ms: z.int().min(5000).max(30_000).nullable().default(null),
    create_response: z.boolean().default(true),
    interrupt_response: z.boolean().default(true),
  }),
  z.strictObject({
    type: z.literal('semantic_vad'),
    eagerness: z.enum(['low', 'medium', 'high', 'auto']).default('auto'),
    create_response: z.boolean().default(true),
    interrupt_response: z.boolean().default(true),
  }),
]);
export type TurnDetection = z.infer<typeof turnDetection>;

const transcription = z.strictObject({
  model: z
    .enum([
      'whisper-1',
      'gpt-transcribe',
      'gpt-live-transcribe',
      'gpt-4o-mini-transcribe',
      'gpt-4o-mini-transcribe-2025-12-15',
      'gpt-4o-transcribe',
      'gpt-4o-transcribe-diarize',
      'gpt-realtime-whisper',
    ])
    .optional(),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/)
    .optional(),
  languages: z.array(z.string()).optional(),
  keywords: z.array(z.string()).optional(),
  prompt: z.string().optional(),
  delay: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
});

const VOICES = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'sage',
  'shimmer',
  'verse',
  'marin',
  'cedar',
] as const;
export const voice = z.union([z.enum(VOICES), z.strictObject({ id: z.string().min(1) })]);

export const functionTool = z.strictObject({
  type: z.literal('function'),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string().optional(),
  parameters: z.looseObject({ type: z.literal('object') }).optional(),
});
export type FunctionTool = z.infer<typeof functionTool>;

export const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.literal('function'), name: z.string() }),
]);
export type ToolChoice = z.infer<typeof toolChoice>;

export const modalities = z.tuple([z.enum(['text', 'audio'])], 'one of text and audio, not both');
export const maxOutputTokens = z.union([z.int().min(1).max(4096), z.literal('inf')]);

/** `session` of `session.update`: only what is present changes. */
export const sessionUpdate = z.strictObject({
  type: z.literal('realtime'),
  // The model cannot be changed after the connection was made.
  model: z.string().optional(),
  instructions: z.string().optional(),
  output_modalities: modalities.optional(),
  tools: z.array(functionTool).optional(),
  tool_choice: toolChoice.optional(),
  max_output_tokens: maxOutputTokens.optional(),
  include: z.array(z.literal('item.input_audio_transcription.logprobs')).optional(),
  tracing: z.union([z.literal('auto'), z.looseObject({})]).nullish(),
  truncation: z
    .union([
      z.enum(['auto', 'disabled']),
      z.strictObject({
        type: z.literal('retention_ratio'),
        retention_ratio: z.number().min(0).max(1),
        token_limits: z.strictObject({ post_instructions: z.int().min(0).optional() }).optional(),
      }),
    ])
    .optional(),
  prompt: z.looseObject({ id: z.string() }).nullish(),
  parallel_tool_calls: z.boolean().optional(),
  reasoning: z
    .strictObject({ effort: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional() })
    .optional(),
  audio: z
    .strictObject({
      input: z
        .strictObject({
          format: audioFormat.optional(),
          transcription: transcription.nullish(),
          noise_reduction: z
            .strictObject({
              type: z.enum(['near_field', 'far_field']).optional(),
              strength: z.number().min(0).optional(),
            })
            .nullish(),
          turn_detection: turnDetection.nullish(),
        })
        .optional(),
      output: z
        .strictObject({
          format: audioFormat.optional(),
          voice: voice.optional(),
          speed: z.number().min(0.25).max(1.5).optional(),
        })
        .optional(),
    })
    .optional(),
});
export type SessionUpdate = z.infer<typeof sessionUpdate>;
