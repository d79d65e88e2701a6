import { type AudioFormat, L16_16K, L16_24K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { z } from 'zod';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** `output_format` of raw audio and what it is; MP3 and Opus are not emulated. */
export const OUTPUT_FORMATS = {
  ulaw_8000: PCMU_8K,
  alaw_8000: PCMA_8K,
  pcm_16000: L16_16K,
  pcm_24000: L16_24K,
} as const satisfies Record<string, AudioFormat>;

/** Query of `stream-input`. */
const streamInputQuery = z.strictObject({
  model_id: z.string().regex(/^eleven_[a-z0-9_]+$/, 'no such model'),
  output_format: z.enum(
    ['ulaw_8000', 'alaw_8000', 'pcm_16000', 'pcm_24000'],
    'only ulaw_8000, alaw_8000, pcm_16000 and pcm_24000 are supported here',
  ),
  auto_mode: flag.default(false),
  sync_alignment: flag.default(false),
  language_code: z
    .string()
    .regex(/^[a-z]{2}$/)
    .optional(),
  inactivity_timeout: z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(1).max(180)).optional(),
  enable_logging: flag.optional(),
  enable_ssml_parsing: flag.optional(),
  apply_text_normalization: z.enum(['auto', 'on', 'off']).optional(),
  optimize_streaming_latency: z.string().optional(),
  seed: z.string().optional(),
});
export type StreamInputQuery = z.infer<typeof streamInputQuery>;

/** The message that the vendor sends before it closes with 1008. */
export interface Refusal {
  readonly error: string;
  readonly message: string;
}

export function parseStreamInput(url: URL): StreamInputQuery | Refusal {
  const parsed = streamInputQuery.safeParse(Object.fromEntries(url.searchParams));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  return { error: 'invalid_query', message: `${issue.path.join('.')}: ${issue.message}` };
}

const unit = z.number().min(0).max(1).nullish();
const voiceSettings = z.strictObject({
  stability: unit,
  similarity_boost: unit,
  style: unit,
  use_speaker_boost: z.boolean().nullish(),
  speed: z.number().min(0.7).max(1.2).nullish(),
});

const firstMessage = z.strictObject({
  text: z.literal(' ', 'the first message must be a single space'),
  voice_settings: voiceSettings.nullish(),
  generation_config: z
    .strictObject({ chunk_length_schedule: z.array(z.number().min(50).max(500)) })
    .nullish(),
  xi_api_key: z.string().optional(),
});
export type FirstMessage = z.infer<typeof firstMessage>;

const textMessage = z.strictObject({
  text: z.string().refine((text) => text === '' || text.endsWith(' '), 'text must end with a space'),
  flush: z.boolean().optional(),
  try_trigger_generation: z.boolean().optional(),
});
export type TextMessage = z.infer<typeof textMessage>;

export function parseFirstMessage(json: unknown): FirstMessage | Refusal {
  return checked(firstMessage, json);
}

export function parseTextMessage(json: unknown): TextMessage | Refusal {
  return checked(textMessage, json);
}

function checked<T>(schema: z.ZodType<T>, json: unknown): T | Refusal {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  return { error: 'invalid_message', message: `${issue.path.join('.')}: ${issue.message}` };
}
