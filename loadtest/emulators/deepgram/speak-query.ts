import type { AudioFormat } from '@voice/shared/audio/format';
import { z } from 'zod';
import type { Refusal } from './query.js';

const ENCODINGS = { mulaw: 'pcmu', alaw: 'pcma', linear16: 'l16' } as const;

/** Query of the WebSocket `/v1/speak` (`@deepgram/sdk` SpeakV1*); rates that no line has are not emulated. */
const speakQuery = z.strictObject({
  model: z
    .string()
    .regex(/^aura(-2)?-[a-z]+-(en|es|de|fr|nl|it|ja)$/, 'no such model')
    .default('aura-asteria-en'),
  encoding: z.enum(['mulaw', 'alaw', 'linear16']).default('linear16'),
  sample_rate: z.enum(['8000', '16000', '24000', '48000'], 'no such sample rate here').default('24000'),
  speed: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(0.7).max(1.5))
    .default(1),
  mip_opt_out: z.enum(['true', 'false']).default('false'),
});

export interface Speak {
  readonly kind: 'speak';
  readonly model: string;
  readonly format: AudioFormat;
}

/** Reads the query of `/v1/speak` as strictly as the vendor does. */
export function parseSpeak(url: URL): Speak | Refusal {
  const parsed = speakQuery.safeParse(Object.fromEntries(url.searchParams));
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    return { status: 400, message: `${issue.path.join('.')}: ${issue.message}` };
  }
  const { model, encoding, sample_rate } = parsed.data;
  const sampleRate = { '8000': 8000, '16000': 16_000, '24000': 24_000, '48000': 48_000 } as const;
  const format: AudioFormat = { encoding: ENCODINGS[encoding], sampleRate: sampleRate[sample_rate] };
  if (format.encoding !== 'l16' && format.sampleRate !== 8000) {
    return { status: 400, message: 'sample_rate: mulaw and alaw are 8000 Hz here' };
  }
  return { kind: 'speak', model, format };
}
