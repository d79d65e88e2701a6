import { z } from 'zod';

const VOICES = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'fable',
  'onyx',
  'nova',
  'sage',
  'shimmer',
  'verse',
  'marin',
  'cedar',
] as const;

/** Body of `POST /v1/audio/speech` (`openai/resources/audio/speech.d.ts` of openai 7.55.0); only raw PCM is emulated. */
const speechRequest = z
  .strictObject({
    model: z.enum(['gpt-4o-mini-tts', 'gpt-4o-mini-tts-2025-12-15', 'tts-1', 'tts-1-hd']),
    input: z.string().min(1).max(4096),
    voice: z.union([z.enum(VOICES), z.strictObject({ id: z.string().regex(/^voice_\w+$/) })]),
    instructions: z.string().max(4096).optional(),
    response_format: z.literal('pcm', 'only pcm is supported here'),
    speed: z.number().min(0.25).max(4).default(1),
    stream_format: z.literal('audio').optional(),
  })
  .refine(({ model, instructions }) => !model.startsWith('tts-1') || instructions === undefined, {
    path: ['instructions'],
    message: 'not supported by this model',
  });
export type SpeechRequest = z.infer<typeof speechRequest>;

/** Reads a body as strictly as the vendor does. */
export function parseSpeechRequest(text: string): SpeechRequest | { readonly problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: 'We could not parse the JSON body of your request.' };
  }
  const parsed = speechRequest.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  return { problem: `${issue.path.join('.')}: ${issue.message}` };
}
