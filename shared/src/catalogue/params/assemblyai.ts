import { z } from 'zod';

/** Settings of an agent's `voice_config.stt.params`, named as AssemblyAI's query names them. */
export const assemblyAiParams = z.object({
  end_of_turn_confidence_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.4)
    .describe('How sure its model of turns must be that one is over.'),
  min_turn_silence: z
    .number()
    .int()
    .min(50)
    .max(10_000)
    .optional()
    .describe('Silence that it waits for when it is sure that the turn is over, in ms.'),
  max_turn_silence: z
    .number()
    .int()
    .min(100)
    .max(30_000)
    .optional()
    .describe('Silence that ends a turn in any case, in ms.'),
  format_turns: z
    .boolean()
    .default(true)
    .describe('Whether a turn is written with punctuation and figures, which comes a little later.'),
});
export type AssemblyAiParams = z.infer<typeof assemblyAiParams>;
