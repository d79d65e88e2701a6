import { languageModelFailure } from '../failures.js';
import type { StructuredAnswer, StructuredRequest } from '../port.js';
import { structuredAnswer } from '../structured-answer.js';
import type { ConnectedModel } from './client.js';

/** Asks a chat-completions model for JSON of the request's schema. */
export function answerByOpenAi<T>(
  { client, model, settings }: ConnectedModel,
  request: StructuredRequest<T>,
  signal: AbortSignal,
): Promise<StructuredAnswer<T>> {
  const { temperature: _t, top_p: _p, ...rest } = settings;
  return structuredAnswer(request, model, async (schema, corrections) => {
    const completion = await client.chat.completions
      .create(
        {
          ...rest,
          model,
          messages: [
            { role: 'system', content: request.system },
            { role: 'user', content: request.user },
            ...corrections,
          ],
          response_format: {
            type: 'json_schema',
            // Not strict: tenants' schemas use more of JSON Schema than strict mode allows. We check ourselves.
            json_schema: { name: request.purpose, schema, strict: false },
          },
        },
        { signal },
      )
      .catch((error: unknown) => {
        throw languageModelFailure(error);
      });
    return {
      content: completion.choices[0]?.message.content ?? '',
      inputTokens: completion.usage?.prompt_tokens ?? 0,
      outputTokens: completion.usage?.completion_tokens ?? 0,
    };
  });
}
