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

export function createLanguageModels(
  config: Pick<Config, 'vendors' | 'egressAllow'>,
  accounts: AccountsOf,
): LanguageModels {
  const policy = createAddressPolicy(config.egressAllow);
  const vendorsFor = async ({ account }: ModelChoice) => (account ? await accounts(account) : config.vendors);
  return {
    async answer(request, signal) {
      signal.throwIfAborted();
      if (request.choice.provider === 'local') return answerByRules(request);
      const vendors = await vendorsFor(request.choice);
      if (request.choice.provider === 'anthropic') {
        return answerByAnthropic(connectAnthropic(request.choice, vendors, policy), request, signal);
      }
      return answerByOpenAi(connect(request.choice, vendors, policy), request, signal);
    },
    async *converse(request, signal) {
      signal.throwIfAborted();
      if (request.choice.provider === 'local') {
        yield* converseByRules(request, signal);
        return;
      }
      const vendors = await vendorsFor(request.choice);
      if (request.choice.provider === 'anthropic') {
        yield* converseByAnthropic(connectAnthropic(request.choice, vendors, policy), request, signal);
      } else yield* converseByOpenAi(connect(request.choice, vendors, policy), request, signal);
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
