import {
  ANTHROPIC_URL,
  ANTHROPIC_VERSION,
  isAnthropic,
  MESSAGES_PATH,
  messagesRequest,
} from '@voice/shared/anthropic/request';
import { type AnthropicParams, anthropicParams } from '@voice/shared/catalogue/params/anthropic';
import { anthropicLanguageModel } from '@voice/shared/catalogue/vendors/anthropic';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { boundedResponse } from '@voice/shared/egress/bounded-response';
import { guardedFetch } from '@voice/shared/egress/guarded-fetch';
import type { LlmMessage, LlmTool } from '@voice/shared/language-model/conversation';
import type { Config } from '../../config.js';
import { apiError } from '../../platform/http/error-codes.js';
import { languageModelFailure, refusedBy } from '../failures.js';

/** The longest answer of a server that a tenant runs, in bytes. */
const LONGEST_ANSWER_BYTES = 4 * 1024 * 1024;

/** A model of the Messages API, reachable. */
export interface ConnectedAnthropic {
  readonly model: string;
  readonly params: AnthropicParams;
  /** Streams an answer's events as bytes. Throws `language_model_failed`. */
  send(
    asked: {
      readonly messages: readonly LlmMessage[];
      readonly tools: readonly LlmTool[];
      readonly params: AnthropicParams;
    },
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * Returns the agent's model, reachable. An address that the agent names is a tenant's URL: it goes through the egress
 * guard, and the platform's own key never goes there.
 */
export function connectAnthropic(
  choice: ProviderChoice,
  { anthropic: platform }: Pick<Config['vendors'], 'anthropic'>,
  policy: AddressPolicy,
): ConnectedAnthropic {
  const parsed = anthropicParams.safeParse(choice.params);
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw apiError('language_model_failed', `The model's params are not valid: ${fields}.`);
  }
  const { base_url: ownUrl, api_key: ownKey } = parsed.data;
  const isOwn = ownUrl !== undefined && ownUrl !== platform.url;
  const apiKey = ownKey ?? (isOwn ? undefined : platform.apiKey);
  if (apiKey === undefined) {
    throw apiError('language_model_failed', 'There is no key for the language model: set ANTHROPIC_API_KEY.');
  }
  const url = (ownUrl ?? platform.url ?? ANTHROPIC_URL).replace(/\/$/, '') + MESSAGES_PATH;
  const model = choice.model === '' ? anthropicLanguageModel.defaultModel : choice.model;
  const send = isOwn ? guardedFetch(policy) : fetch;
  return {
    model,
    params: parsed.data,
    async send({ messages, tools, params }, signal) {
      const response = await send(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'anthropic-version': ANTHROPIC_VERSION,
          'x-api-key': apiKey,
        },
        body: JSON.stringify(
          messagesRequest({ model, params, messages, tools, eagerInput: isAnthropic(url) }),
        ),
        signal,
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw unreachable(error);
      });
      if (!response.ok) throw refusedBy(response.status, (await response.text()).slice(0, 2000));
      return boundedResponse(response, LONGEST_ANSWER_BYTES).body ?? empty();
    },
  };
}

/** What the egress guard refused comes as it is, or as the cause of a failed connection. */
function unreachable(error: unknown) {
  const cause = error instanceof TypeError && error.cause ? error.cause : error;
  return languageModelFailure(
    apiError('language_model_failed', 'The language model could not be reached.', { cause, retryable: true }),
  );
}

async function* empty(): AsyncGenerator<Uint8Array> {}
