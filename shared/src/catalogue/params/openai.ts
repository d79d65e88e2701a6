import { z } from 'zod';

/** Settings of an agent's `voice_config.llm.params`, named as the chat-completions API names them. */
export const openAiParams = z.object({
  /** An OpenAI-compatible server (Groq, OpenRouter, vLLM, Ollama, llama.cpp …). */
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** The key for `base_url`; the platform's own key never goes to an address that an agent names. */
  api_key: z.string().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_completion_tokens: z.number().int().positive().optional(),
  /** For servers that know only the older name. */
  max_tokens: z.number().int().positive().optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  seed: z.number().int().optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).optional(),
  parallel_tool_calls: z.boolean().optional(),
});
export type OpenAiParams = z.infer<typeof openAiParams>;

/** Returns whether an address leads to a server other than the vendor's: Ollama, llama.cpp, vLLM; those need no key. */
export function isOwnOpenAiServer(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname !== 'openai.com' && !hostname.endsWith('.openai.com');
}
