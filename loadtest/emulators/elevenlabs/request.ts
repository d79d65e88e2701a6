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

/** Query of `multi-stream-input`. */
const multiStreamInputQuery = z.strictObject({
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
  seed: z.string().optional(),
});
export type MultiStreamInputQuery = z.infer<typeof multiStreamInputQuery>;

/** The message that the vendor sends before it closes with 1008. */
export interface Refusal {
  readonly error: string;
  readonly message: string;
}

export function parseMultiStreamInput(url: URL): MultiStreamInputQuery | Refusal {
  const parsed = multiStreamInputQuery.safeParse(Object.fromEntries(url.searchParams));
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

const contextId = z.string().min(1, 'every message names its context');

/** Opens a context. The vendor takes any text with it; here the order of its reference is kept. */
const initialisation = z.strictObject({
  context_id: contextId,
  text: z.literal(' ', 'the first message of a context must be a single space'),
  voice_settings: voiceSettings.nullish(),
  generation_config: z
    .strictObject({ chunk_length_schedule: z.array(z.number().min(50).max(500)) })
    .nullish(),
  xi_api_key: z.string().optional(),
});
export type Initialisation = z.infer<typeof initialisation>;

/** What a context that is open may be sent. An empty text alone keeps it alive. */
const contextMessage = z
  .strictObject({
    context_id: contextId,
    text: z
      .string()
      .refine((text) => text === '' || text.endsWith(' '), 'text must end with a space')
      .optional(),
    flush: z.boolean().optional(),
    close_context: z.boolean().optional(),
  })
  .refine(
    ({ text, flush, close_context }) => text !== undefined || flush === true || close_context === true,
    'a message has a text, flushes or closes',
  );
export type ContextMessage = z.infer<typeof contextMessage>;

const closeSocket = z.strictObject({ close_socket: z.literal(true) });

/** Returns which context a message is for; undefined for one that is for none. */
export function contextOf(json: unknown): string | undefined {
  return z.looseObject({ context_id: z.string() }).safeParse(json).data?.context_id;
}

export function isCloseSocket(json: unknown): boolean {
  return closeSocket.safeParse(json).success;
}

export function parseInitialisation(json: unknown): Initialisation | Refusal {
  return checked(initialisation, json);
}

export function parseContextMessage(json: unknown): ContextMessage | Refusal {
  return checked(contextMessage, json);
}

function checked<T>(schema: z.ZodType<T>, json: unknown): T | Refusal {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  return { error: 'invalid_message', message: `${issue.path.join('.')}: ${issue.message}` };
}
