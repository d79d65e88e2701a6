import { z } from 'zod';

const modalityCounts = z
  .array(z.object({ modality: z.string().default('TEXT'), tokenCount: z.number().default(0) }))
  .default([]);

const usageMetadata = z.object({
  promptTokenCount: z.number().default(0),
  cachedContentTokenCount: z.number().default(0),
  responseTokenCount: z.number().default(0),
  thoughtsTokenCount: z.number().default(0),
  toolUsePromptTokenCount: z.number().default(0),
  promptTokensDetails: modalityCounts,
  cacheTokensDetails: modalityCounts,
  responseTokensDetails: modalityCounts,
});
export type UsageMetadata = z.infer<typeof usageMetadata>;

const transcription = z.object({ text: z.string().default(''), finished: z.boolean().optional() });

const serverContent = z.object({
  modelTurn: z
    .object({
      parts: z
        .array(
          z.object({
            inlineData: z.object({ mimeType: z.string(), data: z.string() }).optional(),
            /** Thoughts of the model come as parts, too. */
            thought: z.boolean().optional(),
          }),
        )
        .default([]),
    })
    .optional(),
  generationComplete: z.boolean().optional(),
  turnComplete: z.boolean().optional(),
  turnCompleteReason: z.string().optional(),
  interrupted: z.boolean().optional(),
  inputTranscription: transcription.optional(),
  outputTranscription: transcription.optional(),
});
export type ServerContent = z.infer<typeof serverContent>;

/** What the server says; several of the fields may come in one message, and unknown ones are ignored. */
const serverMessage = z.object({
  setupComplete: z.object({}).optional(),
  serverContent: serverContent.optional(),
  toolCall: z
    .object({
      functionCalls: z
        .array(
          z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), z.unknown()).default({}) }),
        )
        .default([]),
    })
    .optional(),
  toolCallCancellation: z.object({ ids: z.array(z.string()).default([]) }).optional(),
  usageMetadata: usageMetadata.optional(),
  goAway: z.object({ timeLeft: z.string().default('0s') }).optional(),
  sessionResumptionUpdate: z
    .object({ newHandle: z.string().optional(), resumable: z.boolean().default(false) })
    .optional(),
  voiceActivity: z.object({ voiceActivityType: z.string().optional() }).optional(),
});
export type ServerMessage = z.infer<typeof serverMessage>;

/** Reads one message; undefined for what is none. */
export function parseServerMessage(text: string): ServerMessage | undefined {
  try {
    return serverMessage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Parses a duration of protocol buffers (`50s`, `1.5s`) to ms. */
export function durationMs(text: string): number {
  const seconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(text)?.[1] ?? 0);
  return seconds * 1000;
}
