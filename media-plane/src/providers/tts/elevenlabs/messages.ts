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

/** The vendor's guide names `is_final` where its reference has `isFinal`. */
export const serverMessage = z
  .object({
    contextId: z.string().nullish(),
    audio: z.string().nullish(),
    isFinal: z.boolean().nullish(),
    is_final: z.boolean().nullish(),
    alignment: alignment.nullish(),
    error: z.string().optional(),
    message: z.string().optional(),
    code: z.number().optional(),
  })
  .transform(({ is_final, isFinal, ...message }) => ({ ...message, isFinal: isFinal ?? is_final ?? false }));
export type ServerMessage = z.infer<typeof serverMessage>;

export function parseServerMessage(text: string): ServerMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const audio = audioMessage(value);
    if (audio) return audio;
    const parsed = serverMessage.safeParse(value);
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

const isTextOrNone = (value: unknown): value is string | null | undefined =>
  typeof value === 'string' || value === null || value === undefined;
const isFlagOrNone = (value: unknown): value is boolean | null | undefined =>
  typeof value === 'boolean' || value === null || value === undefined;
const isText = (value: unknown): boolean => typeof value === 'string';

/**
 * Reads what a voice says all the time without the schema, which looks at every character of the text; undefined for
 * anything that it should judge. A test holds the two together.
 */
function audioMessage(value: unknown): ServerMessage | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { contextId, audio, isFinal, is_final, alignment, error, message, code } = value as Partial<
    Record<string, unknown>
  >;
  if (error !== undefined || message !== undefined || code !== undefined) return undefined;
  if (!isTextOrNone(contextId) || !isTextOrNone(audio)) return undefined;
  if (!isFlagOrNone(isFinal) || !isFlagOrNone(is_final)) return undefined;
  const placed = alignment === undefined || alignment === null ? alignment : alignmentOf(alignment);
  if (placed === undefined && alignment !== undefined) return undefined;
  return { contextId, audio, isFinal: isFinal ?? is_final ?? false, alignment: placed };
}

function alignmentOf(value: unknown): NonNullable<ServerMessage['alignment']> | undefined {
  const { chars, charStartTimesMs, charDurationsMs, charsDurationsMs } = value as Partial<
    Record<string, unknown>
  >;
  // With both names the schema says which.
  if (charsDurationsMs !== undefined) return undefined;
  if (!Array.isArray(chars) || !Array.isArray(charStartTimesMs) || !Array.isArray(charDurationsMs)) {
    return undefined;
  }
  if (chars.length !== charStartTimesMs.length || chars.length !== charDurationsMs.length) return undefined;
  const isNumber = Number.isFinite as (one: unknown) => one is number;
  if (!chars.every(isText)) return undefined;
  if (!charStartTimesMs.every(isNumber) || !charDurationsMs.every(isNumber)) return undefined;
  return { chars, startMs: charStartTimesMs, durationMs: charDurationsMs };
}

/** Builds the first message of a context: a single space, with the voice's settings. */
export function initialisation(params: ElevenLabsParams, contextId: string): string {
  const { stability, similarity_boost, style, use_speaker_boost, speed } = params;
  const settings = { stability, similarity_boost, style, use_speaker_boost, speed };
  const given = Object.values(settings).some((value) => value !== undefined);
  return JSON.stringify({ text: ' ', context_id: contextId, ...(given ? { voice_settings: settings } : {}) });
}

/** Builds a message of a piece of text, which must end with a space. */
export function textMessage(contextId: string, sentence: string): string {
  return JSON.stringify({ text: `${sentence} `, context_id: contextId });
}

/** Builds what lets the vendor speak all that it was given. */
export function flush(contextId: string): string {
  return JSON.stringify({ context_id: contextId, flush: true });
}

/** Builds what ends a context: what was flushed is spoken, then its final message comes. */
export function closeContext(contextId: string): string {
  return JSON.stringify({ context_id: contextId, close_context: true });
}

/** Builds what keeps a context open that has nothing to say; makes no audio. */
export function keepAlive(contextId: string): string {
  return JSON.stringify({ text: '', context_id: contextId });
}
