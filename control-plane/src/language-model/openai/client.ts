import { isOwnOpenAiServer, type OpenAiParams, openAiParams } from '@voice/shared/catalogue/params/openai';
import { openAiLanguageModel } from '@voice/shared/catalogue/vendors/openai';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { boundedResponse } from '@voice/shared/egress/bounded-response';
import { guardedFetch } from '@voice/shared/egress/guarded-fetch';
import OpenAI from 'openai';
import type { Config, VendorAccess } from '../../config.js';
import { apiError } from '../../platform/http/error-codes.js';

/** What answers questions about the calls of Gemini Live agents. */
const GEMINI_MODEL = 'gemini-3.8-flash';
const GEMINI_ORIGIN = 'https://generativelanguage.googleapis.com';
/** Where Gemini speaks the chat-completions API (ai.google.dev/gemini-api/docs/openai). */
const GEMINI_COMPATIBLE_PATH = '/v1beta/openai/';
/** Longest wait for the head of an answer, in ms; tighter limits are the caller's signal. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The longest answer of a server that a tenant runs, in bytes. */
const LONGEST_ANSWER_BYTES = 4 * 1024 * 1024;

/** The address and the length of the answer are a tenant's to choose, within the guard and the limit. */
function boundedFetch(policy: AddressPolicy): typeof fetch {
  const send = guardedFetch(policy);
  return async (input, init) => boundedResponse(await send(input, init), LONGEST_ANSWER_BYTES);
}

export interface ConnectedModel {
  readonly client: OpenAI;
  readonly model: string;
  /** Of the agent, without address and key. */
  readonly settings: Omit<OpenAiParams, 'base_url' | 'api_key' | 'parallel_tool_calls'>;
}

/** The address that Gemini Live is reached at may be a WebSocket's; the same server answers here. */
function geminiAccess({ apiKey, url }: VendorAccess): VendorAccess {
  const origin = url === undefined ? GEMINI_ORIGIN : new URL(url.replace(/^ws/, 'http')).origin;
  return { ...(apiKey === undefined ? {} : { apiKey }), url: origin + GEMINI_COMPATIBLE_PATH };
}

/**
 * Returns the agent's model, reachable. An address that the agent names is a tenant's URL: it goes through the egress
 * guard, and the platform's own key never goes there.
 */
export function connect(
  choice: ProviderChoice,
  vendors: Pick<Config['vendors'], 'openai' | 'gemini'>,
  policy: AddressPolicy,
): ConnectedModel {
  const gemini = choice.provider === 'gemini';
  const platform = gemini ? geminiAccess(vendors.gemini) : vendors.openai;
  const parsed = openAiParams.safeParse(choice.params);
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw apiError('language_model_failed', `The model's params are not valid: ${fields}.`);
  }
  const { base_url: ownUrl, api_key: ownKey, parallel_tool_calls: _parallel, ...settings } = parsed.data;
  const own = ownUrl !== undefined && ownUrl !== platform.url;
  if (choice.provider !== 'openai' && !gemini && !own) {
    throw apiError('language_model_failed', `There is no language model provider '${choice.provider}' here.`);
  }
  const apiKey = ownKey ?? (own ? undefined : platform.apiKey);
  const baseURL = ownUrl ?? platform.url;
  if (apiKey === undefined && !isOwnOpenAiServer(baseURL)) {
    throw apiError('language_model_failed', 'There is no key for the language model: set OPENAI_API_KEY.');
  }
  if (apiKey === undefined && gemini && !own) {
    throw apiError('language_model_failed', 'There is no key for the language model: set GEMINI_API_KEY.');
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
    ...(own ? { fetch: boundedFetch(policy) } : {}),
  });
  const defaultModel = gemini ? GEMINI_MODEL : openAiLanguageModel.defaultModel;
  return { client, model: choice.model === '' ? defaultModel : choice.model, settings };
}
