import { z } from 'zod';
import { audioFormat } from '../openai-realtime/session-schema.js';

const LIVE = /^gpt-(live-transcribe|realtime-whisper)/;

const transcription = z.strictObject({
  model: z.enum([
    'gpt-live-transcribe',
    'gpt-realtime-whisper',
    'gpt-transcribe',
    'gpt-4o-transcribe',
    'gpt-4o-mini-transcribe',
    'gpt-4o-mini-transcribe-2025-12-15',
  ]),
  language: z
    .string()
    .regex(/^[a-z]{2}$/)
    .optional(),
  keywords: z.array(z.string().min(1)).optional(),
  prompt: z.string().optional(),
  delay: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
});

const session = z
  .strictObject({
    type: z.literal('transcription'),
    audio: z.strictObject({
      input: z.strictObject({
        format: audioFormat,
        transcription,
        turn_detection: z
          .strictObject({
            type: z.literal('server_vad'),
            threshold: z.number().min(0).max(1).default(0.5),
            prefix_padding_ms: z.int().min(0).default(300),
            silence_duration_ms: z.int().min(0).default(500),
          })
          .nullish(),
        noise_reduction: z.strictObject({ type: z.enum(['near_field', 'far_field']) }).nullish(),
      }),
    }),
    include: z.array(z.literal('item.input_audio_transcription.logprobs')).optional(),
  })
  // `openai/resources/realtime/realtime.d.ts` of openai 7.55.0, and the guide.
  .refine(({ audio: { input } }) => !LIVE.test(input.transcription.model) || !input.turn_detection, {
    path: ['audio.input.turn_detection'],
    message: 'Turn detection is not supported for this transcription model.',
  })
  .refine(
    ({ audio: { input } }) =>
      input.transcription.delay === undefined || input.transcription.model === 'gpt-realtime-whisper',
    { path: ['audio.input.transcription.delay'], message: 'not supported by this model' },
  )
  .refine(
    ({ audio: { input } }) =>
      input.transcription.keywords === undefined || /^gpt-(live-)?transcribe/.test(input.transcription.model),
    { path: ['audio.input.transcription.keywords'], message: 'not supported by this model' },
  );

export const clientEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('session.update'), event_id: z.string().optional(), session }),
  z.strictObject({
    type: z.literal('input_audio_buffer.append'),
    event_id: z.string().optional(),
    audio: z.base64().min(1),
  }),
  z.strictObject({ type: z.literal('input_audio_buffer.commit'), event_id: z.string().optional() }),
  z.strictObject({ type: z.literal('input_audio_buffer.clear'), event_id: z.string().optional() }),
]);
export type Input = z.infer<typeof session>['audio']['input'];

export function isLive({ transcription: { model } }: Input): boolean {
  return LIVE.test(model);
}
