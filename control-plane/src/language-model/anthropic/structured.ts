import type { LlmMessage } from '@voice/shared/language-model/conversation';
import type { StructuredAnswer, StructuredRequest } from '../port.js';
import { structuredAnswer } from '../structured-answer.js';
import type { ConnectedAnthropic } from './client.js';
import { converseByAnthropic } from './conversation.js';

/**
 * Asks a model of the Messages API for JSON of the request's schema. The schema is part of the prompt: structured
 * outputs take less of JSON Schema than tenants use, and a tool that must be called is refused by the newest models.
 */
export function answerByAnthropic<T>(
  connected: ConnectedAnthropic,
  request: StructuredRequest<T>,
  signal: AbortSignal,
): Promise<StructuredAnswer<T>> {
  const { temperature: _t, top_p: _p, top_k: _k, ...params } = connected.params;
  // Each question is asked once.
  const asked = { ...connected, params: { ...params, prompt_caching: false } };
  return structuredAnswer(request, connected.model, async (schema, corrections) => {
    const messages: LlmMessage[] = [
      { role: 'system', content: `${request.system}\n\n${instruction(schema)}` },
      { role: 'user', content: request.user },
      ...corrections,
    ];
    let content = '';
    let inputTokens = 0;
    let outputTokens = 0;
    for await (const event of converseByAnthropic(asked, { messages, tools: [] }, signal)) {
      if (event.type === 'text') content += event.delta;
      else if (event.type === 'usage') ({ inputTokens, outputTokens } = event);
    }
    return { content, inputTokens, outputTokens };
  });
}

function instruction(schema: Readonly<Record<string, unknown>>): string {
  return `Answer with JSON of this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`;
}
