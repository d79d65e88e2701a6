import { type AudioFormat, L16_8K, L16_16K, L16_24K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { z } from 'zod';

/** Raw audio that lines have; others are not emulated. */
const FORMATS: Readonly<Record<string, AudioFormat>> = {
  'pcm_mulaw 8000': PCMU_8K,
  'pcm_alaw 8000': PCMA_8K,
  'pcm_s16le 8000': L16_8K,
  'pcm_s16le 16000': L16_16K,
  'pcm_s16le 24000': L16_24K,
};

const contextId = z.string().regex(/^[A-Za-z0-9_-]+$/);

/** An input of a context (docs.cartesia.ai/2026-03-01/api-reference/tts/websocket). */
const generation = z.strictObject({
  context_id: contextId,
  model_id: z.string().regex(/^sonic-(2|3)(\.\d)?(-\d{4}-\d\d-\d\d)?$/, 'no such model'),
  transcript: z.string(),
  voice: z.strictObject({ mode: z.literal('id'), id: z.string().min(1) }),
  language: z.string().regex(/^[a-z]{2}$/),
  output_format: z.strictObject({
    container: z.literal('raw'),
    encoding: z.enum(['pcm_mulaw', 'pcm_alaw', 'pcm_s16le']),
    sample_rate: z.number().int(),
  }),
  continue: z.boolean().default(false),
  flush: z.boolean().default(false),
  add_timestamps: z.boolean().default(false),
  max_buffer_delay_ms: z.number().int().min(0).max(5000).default(3000),
  generation_config: z
    .strictObject({
      speed: z.number().min(0.6).max(1.5).optional(),
      volume: z.number().min(0.5).max(2).optional(),
      emotion: z.string().optional(),
    })
    .optional(),
  pronunciation_dict_id: z.string().optional(),
});
const cancellation = z.strictObject({ context_id: contextId, cancel: z.literal(true) });

export type Generation = z.infer<typeof generation>;
export type ClientMessage =
  | { readonly kind: 'input'; readonly input: Generation; readonly format: AudioFormat }
  | { readonly kind: 'cancel'; readonly contextId: string }
  | { readonly kind: 'wrong'; readonly contextId: string | undefined; readonly problem: string };

/** Reads a message as strictly as the vendor does. */
export function parseClientMessage(text: string): ClientMessage {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: 'wrong', contextId: undefined, problem: 'the message is not JSON' };
  }
  const cancelled = cancellation.safeParse(json);
  if (cancelled.success) return { kind: 'cancel', contextId: cancelled.data.context_id };
  const parsed = generation.safeParse(json);
  const named = contextId.safeParse((json as { context_id?: unknown } | null)?.context_id).data;
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    return { kind: 'wrong', contextId: named, problem: `${issue.path.join('.')}: ${issue.message}` };
  }
  const { encoding, sample_rate: rate } = parsed.data.output_format;
  const format = FORMATS[`${encoding} ${rate}`];
  if (!format)
    return { kind: 'wrong', contextId: named, problem: `output_format: no ${encoding} at ${rate}` };
  return { kind: 'input', input: parsed.data, format };
}

/** Returns what must stay the same from one input of a context to the next. */
export function settingsOf({ transcript: _t, continue: _c, flush: _f, ...settings }: Generation): string {
  return JSON.stringify(settings);
}
