import { z } from 'zod';

const context = { context_id: z.string().nullish() };
const seconds = z.array(z.number());

/** What the service says of a context (docs.cartesia.ai/2026-03-01/api-reference/tts/websocket). */
const serverMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('chunk'), ...context, data: z.string() }),
  z.object({
    type: z.literal('timestamps'),
    ...context,
    word_timestamps: z
      .object({ words: z.array(z.string()), start: seconds, end: seconds })
      .refine(({ words, start, end }) => words.length === start.length && words.length === end.length),
  }),
  z.object({ type: z.literal('flush_done'), ...context }),
  z.object({ type: z.literal('done'), ...context }),
  z.object({
    type: z.literal('error'),
    ...context,
    status_code: z.number().default(500),
    error_code: z.string().nullish(),
    title: z.string().nullish(),
    message: z.string().nullish(),
    error: z.string().nullish(),
  }),
]);
export type ServerMessage = z.infer<typeof serverMessage>;

export function parseServerMessage(text: string): ServerMessage | undefined {
  try {
    const parsed = serverMessage.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
