import { z } from 'zod';
import { ownServerParams } from './own-server.js';

/** Settings of an agent's `voice_config.llm.params`, named as the chat-completions API names them. */
export const openAiParams = z.object({
  ...ownServerParams('OpenAI’s API (Groq, OpenRouter, vLLM, Ollama, llama.cpp …)'),
  temperature: z.number().min(0).max(2).optional().describe('How freely it words its answers.'),
  top_p: z.number().min(0).max(1).optional().describe('Share of the likeliest tokens to choose from.'),
  max_completion_tokens: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('The most tokens of an answer, reasoning included.'),
  max_tokens: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('The same, for servers that know only the older name.'),
  frequency_penalty: z
    .number()
    .min(-2)
    .max(2)
    .optional()
    .describe('Above 0, words that were said often are said less often.'),
  presence_penalty: z
    .number()
    .min(-2)
    .max(2)
    .optional()
    .describe('Above 0, words that were said at all are said less often.'),
  seed: z.number().int().optional().describe('The same seed gives mostly the same answers.'),
  reasoning_effort: z
    .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])
    .optional()
    .describe('How long reasoning models think; on the phone, thinking is silence.'),
  service_tier: z
    .enum(['auto', 'default', 'flex', 'scale', 'priority'])
    .optional()
    .describe('How soon the vendor takes the request, and at what price.'),
  parallel_tool_calls: z.boolean().optional().describe('Whether it may call several tools in one answer.'),
});
export type OpenAiParams = z.infer<typeof openAiParams>;

/** Returns whether an address leads to a server other than the vendor's: Ollama, llama.cpp, vLLM; those need no key. */
export function isOwnOpenAiServer(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname !== 'openai.com' && !hostname.endsWith('.openai.com');
}
