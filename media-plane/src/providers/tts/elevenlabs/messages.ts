import type { ElevenLabsParams } from '@voice/shared/catalogue/params/elevenlabs';
import { z } from 'zod';

/** The vendor's pages name the durations in both ways. */
const alignment = z
  .object({
    chars: z.array(z.string()),
    charStartTimesMs: z.array(z.number()),
    charDurationsMs: z.array(z.number()).optional(),
    charsDurationsMs: z.array(z.number()).optional(),
  })
  .transform(({ chars, charStartTimesMs, charDurationsMs, charsDurationsMs }) => ({
    chars,
    startMs: charStartTimesMs,
    durationMs: charDurationsMs ?? charsDurationsMs ?? [],
  }))
  .refine(({ chars, startMs, durationMs }) => {
    return chars.length === startMs.length && chars.length === durationMs.length;
  }, 'the lists differ in length');

const serverMessage = z.object({
  audio: z.string().nullish(),
  isFinal: z.boolean().nullish(),
  alignment: alignment.nullish(),
  error: z.string().optional(),
  message: z.string().optional(),
  code: z.number().optional(),
});
export type ServerMessage = z.infer<typeof serverMessage>;

export function parseServerMessage(text: string): ServerMessage | undefined {
  try {
    const parsed = serverMessage.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Builds the first message of a connection: a single space, with the voice's settings. */
export function initialisation(params: ElevenLabsParams): string {
  const { stability, similarity_boost, style, use_speaker_boost, speed } = params;
  const settings = { stability, similarity_boost, style, use_speaker_boost, speed };
  const given = Object.values(settings).some((value) => value !== undefined);
  return JSON.stringify({ text: ' ', ...(given ? { voice_settings: settings } : {}) });
}

/** Builds a message of a piece of text, which must end with a space. */
export function textMessage(sentence: string): string {
  return JSON.stringify({ text: `${sentence} ` });
}

/** Keeps a connection open that has nothing to say; makes no audio. */
export const KEEP_ALIVE = JSON.stringify({ text: ' ' });
/** The end of the text: what remains is spoken, then the connection is closed by the vendor. */
export const END_OF_TEXT = JSON.stringify({ text: '' });
