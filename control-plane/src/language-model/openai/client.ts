import type { ProviderChoice } from '@voice/shared/contracts/agent';
import { type OpenAiParams, openAiParams } from '@voice/shared/contracts/openai-params';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { guardedFetch } from '@voice/shared/egress/guarded-fetch';
import OpenAI from 'openai';
import type { VendorAccess } from '../../config.js';
import { apiError } from '../../http/error-codes.js';

/** Where an agent names no model. */
const DEFAULT_MODEL = 'gpt-4.1-mini';
/** Longest wait for the head of an answer, in ms; tighter limits are the caller's signal. */
const REQUEST_TIMEOUT_MS = 60_000;

export interface ConnectedModel {
  readonly client: OpenAI;
  readonly model: string;
  /** Of the agent, without address and key. */
  readonly settings: Omit<OpenAiParams, 'base_url' | 'api_key' | 'parallel_tool_calls'>;
}

/**
 * The agent's model, reachable. An address that the agent names is a tenant's URL: it goes through the
 * egress guard, and the platform's own key never goes there.
 */
export function connect(
  choice: ProviderChoice,
  platform: VendorAccess,
  policy: AddressPolicy,
): ConnectedModel {
  const parsed = openAiParams.safeParse(choice.params);
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw apiError('language_model_failed', `The model's params are not valid: ${fields}.`);
  }
  const { base_url: ownUrl, api_key: ownKey, parallel_tool_calls: _parallel, ...settings } = parsed.data;
  const own = ownUrl !== undefined && ownUrl !== platform.url;
  if (choice.provider !== 'openai' && !own) {
    throw apiError('language_model_failed', `There is no language model provider '${choice.provider}' here.`);
  }
  const apiKey = ownKey ?? (own ? undefined : platform.apiKey);
  const baseURL = ownUrl ?? platform.url;
  if (apiKey === undefined && baseURL === undefined) {
    throw apiError('language_model_failed', 'There is no key for the language model: set OPENAI_API_KEY.');
  }
  const client = new OpenAI({
    // A compatible server on one's own machine often wants no key; the SDK wants some text.
    apiKey: apiKey ?? 'none',
    ...(baseURL === undefined ? {} : { baseURL }),
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: REQUEST_TIMEOUT_MS,
    logLevel: 'off',
    ...(own ? { fetch: guardedFetch(policy) } : {}),
  });
  return { client, model: choice.model === '' ? DEFAULT_MODEL : choice.model, settings };
}
