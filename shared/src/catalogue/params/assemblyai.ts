import { z } from 'zod';

/** Settings of an agent's `voice_config.stt.params`, named as AssemblyAI's query names them. */
export const assemblyAiParams = z.object({
  /** How sure its model of turns must be that one is over. */
  end_of_turn_confidence_threshold: z.number().min(0).max(1).default(0.4),
  /** Silence in ms that it waits for when it is sure, and at most. */
  min_turn_silence: z.number().int().min(50).max(10_000).optional(),
  max_turn_silence: z.number().int().min(100).max(30_000).optional(),
  /** Whether a turn is written with punctuation and figures, which comes a little later. */
  format_turns: z.boolean().default(true),
});
export type AssemblyAiParams = z.infer<typeof assemblyAiParams>;
