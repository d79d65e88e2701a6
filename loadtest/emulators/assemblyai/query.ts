import { type AudioFormat, PCMU_8K } from '@voice/shared/audio/format';
import { z } from 'zod';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const integer = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number);
const unit = z
  .string()
  .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be from 0 to 1')
  .transform(Number);
const keyterms = z.string().transform((text, context) => {
  const terms = z.array(z.string().min(1).max(50)).max(100).safeParse(json(text));
  if (terms.success) return terms.data;
  context.addIssue('must be a JSON list of at most 100 terms of at most 50 characters');
  return z.NEVER;
});

/** Query of `/v3/ws` (assemblyai.com/docs, "Streaming API"). */
const streamingQuery = z
  .strictObject({
    speech_model: z.enum([
      'universal-streaming-english',
      'universal-streaming-multilingual',
      'u3-rt-pro',
      'universal-3-5-pro',
      'universal-3-6-pro',
    ]),
    sample_rate: integer.pipe(z.literal([8000, 16_000, 24_000, 48_000])).default(16_000),
    encoding: z.enum(['pcm_s16le', 'pcm_mulaw']).default('pcm_s16le'),
    format_turns: flag.default(false),
    end_of_turn_confidence_threshold: unit.default(0.4),
    min_turn_silence: integer.pipe(z.number().min(50).max(10_000)).default(400),
    max_turn_silence: integer.pipe(z.number().min(100).max(30_000)).default(1280),
    keyterms_prompt: keyterms.optional(),
  })
  .refine((query) => query.encoding === 'pcm_s16le' || query.sample_rate === PCMU_8K.sampleRate, {
    path: ['sample_rate'],
    message: 'mu-law is at 8000 Hz here',
  });
export type StreamingQuery = z.infer<typeof streamingQuery>;

/** Reads the address of a session as strictly as the vendor does. */
export function parseStreaming(
  url: URL,
): StreamingQuery | { readonly status: number; readonly message: string } {
  if (url.pathname !== '/v3/ws') return { status: 404, message: 'Not Found' };
  const parsed = streamingQuery.safeParse(Object.fromEntries(url.searchParams));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  return { status: 400, message: `${issue.path.join('.')}: ${issue.message}` };
}

export function formatOf({ encoding, sample_rate: sampleRate }: StreamingQuery): AudioFormat {
  return encoding === 'pcm_mulaw' ? PCMU_8K : { encoding: 'l16', sampleRate };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
