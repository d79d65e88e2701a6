import { z } from 'zod';
import { ownServerParams } from './own-server.js';

const UP_TO_4_6 = 'Models from Claude 4.7 on refuse it.';

/**
 * Settings of an agent's `voice_config.llm.params`, named as the Messages API names them
 * (platform.claude.com/docs/en/api/messages).
 */
export const anthropicParams = z.object({
  ...ownServerParams('the Messages API'),
  max_tokens: z
    .number()
    .int()
    .positive()
    .max(128_000)
    .default(4096)
    .describe('The most tokens of an answer, thinking included.'),
  temperature: z.number().min(0).max(1).optional().describe(`How freely it words its answers. ${UP_TO_4_6}`),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(`Share of the likeliest tokens to choose from. ${UP_TO_4_6}`),
  top_k: z
    .number()
    .int()
    .positive()
    .optional()
    .describe(`Number of the likeliest tokens to choose from. ${UP_TO_4_6}`),
  effort: z
    .enum(['low', 'medium', 'high', 'xhigh', 'max'])
    .optional()
    .describe('How much work goes into an answer; models from Claude 4.5 on know it.'),
  thinking: z
    .enum(['disabled', 'between_tools', 'adaptive'])
    .optional()
    .describe('By default as little as the model allows: on the phone, thinking is silence.'),
  service_tier: z
    .enum(['auto', 'standard_only'])
    .optional()
    .describe('Whether priority capacity is used where the account has some.'),
  prompt_caching: z
    .boolean()
    .default(true)
    .describe(
      'Whether the prompt and the conversation so far are kept for the next turn, which is faster and cheaper then.',
    ),
});
export type AnthropicParams = z.infer<typeof anthropicParams>;
