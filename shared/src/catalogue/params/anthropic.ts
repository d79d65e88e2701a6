import { z } from 'zod';

/**
 * Settings of an agent's `voice_config.llm.params`, named as the Messages API names them
 * (platform.claude.com/docs/en/api/messages).
 */
export const anthropicParams = z.object({
  /** A server that speaks the Messages API. */
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** The key for `base_url`; the platform's own key never goes to an address that an agent names. */
  api_key: z.string().min(1).max(512).optional(),
  /** Of an answer, thinking included. */
  max_tokens: z.number().int().positive().max(128_000).default(4096),
  /** Models from Claude 4.7 on refuse these three. */
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.number().int().positive().optional(),
  /** How much work goes into an answer; models from Claude 4.5 on know it. */
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
  /** By default as little as the model allows: on the phone, thinking is silence. */
  thinking: z.enum(['disabled', 'between_tools', 'adaptive']).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  /** Whether the prompt and the conversation so far are kept for the next turn, which is faster and cheaper then. */
  prompt_caching: z.boolean().default(true),
});
export type AnthropicParams = z.infer<typeof anthropicParams>;
