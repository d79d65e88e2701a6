import type { ProviderName } from '@voice/shared/catalogue/providers';
import type { AgentSnapshot, ProviderChoice, VoiceConfig } from '@voice/shared/contracts/agent';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Config } from '../config.js';
import type { AccountsOf } from '../vendors/keys/service.js';
import { connectAnthropic } from './anthropic/client.js';
import { converseByAnthropic } from './anthropic/conversation.js';
import { answerByAnthropic } from './anthropic/structured.js';
import type { ConversationModel } from './conversation.js';
import { converseByRules } from './local/conversation.js';
import { answerByRules } from './local/structured.js';
import { connect } from './openai/client.js';
import { converseByOpenAi } from './openai/conversation.js';
import { answerByOpenAi } from './openai/structured.js';
import type { ModelChoice, StructuredLanguageModel } from './port.js';

/** The language models of this installation, whichever an agent names. */
export type LanguageModels = StructuredLanguageModel & ConversationModel;

/** A language model of the catalogue, or the text model behind a speech-to-speech one. */
type Provider = ProviderName<'llm'> | ProviderName<'realtime'>;

export function createLanguageModels(
  config: Pick<Config, 'vendors' | 'egressAllow'>,
  accounts: AccountsOf,
): LanguageModels {
  const policy = createAddressPolicy(config.egressAllow);
  const vendorsFor = async ({ account }: ModelChoice) => (account ? await accounts(account) : config.vendors);

  const openAi: LanguageModels = {
    async answer(request, signal) {
      const connected = connect(request.choice, await vendorsFor(request.choice), policy);
      return answerByOpenAi(connected, request, signal);
    },
    async *converse(request, signal) {
      const connected = connect(request.choice, await vendorsFor(request.choice), policy);
      yield* converseByOpenAi(connected, request, signal);
    },
  };
  const anthropic: LanguageModels = {
    async answer(request, signal) {
      const connected = connectAnthropic(request.choice, await vendorsFor(request.choice), policy);
      return answerByAnthropic(connected, request, signal);
    },
    async *converse(request, signal) {
      const connected = connectAnthropic(request.choice, await vendorsFor(request.choice), policy);
      yield* converseByAnthropic(connected, request, signal);
    },
  };
  const local: LanguageModels = {
    answer: async (request) => answerByRules(request),
    converse: converseByRules,
  };

  const byProvider: Readonly<Record<Provider, LanguageModels>> = {
    openai: openAi,
    anthropic,
    local,
    gemini: openAi,
  };
  // What the catalogue has not is a server of the agent's own that speaks OpenAI's API, or refused there.
  const modelsOf = ({ provider }: ModelChoice): LanguageModels =>
    Object.hasOwn(byProvider, provider) ? byProvider[provider as Provider] : openAi;

  return {
    async answer(request, signal) {
      signal.throwIfAborted();
      return modelsOf(request.choice).answer(request, signal);
    },
    async *converse(request, signal) {
      signal.throwIfAborted();
      yield* modelsOf(request.choice).converse(request, signal);
    },
  };
}

/**
 * Returns the model that answers questions about an agent's calls: its own, and for a speech-to-speech agent its
 * provider's default text model, at the agent's own account where it has one.
 */
export function chatChoiceOf(voice: VoiceConfig): ProviderChoice {
  if ('llm' in voice) return voice.llm;
  const { provider, params } = voice.realtime;
  const { api_key } = params;
  return { provider, model: '', params: api_key === undefined ? {} : { api_key } };
}

/** Returns the same model for questions about a tenant's agent, on the accounts that its calls are on. */
export function modelOfAgent(
  tenant: TenantId,
  { voice_config: voice, own_vendors }: Pick<AgentSnapshot, 'voice_config' | 'own_vendors'>,
): ModelChoice {
  const choice = chatChoiceOf(voice);
  return own_vendors === undefined ? choice : { ...choice, account: { tenant, own_vendors } };
}
