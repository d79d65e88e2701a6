import type { ProviderChoice, VoiceConfig } from '@voice/shared/contracts/agent';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import type { Config } from '../config.js';
import { connectAnthropic } from './anthropic/client.js';
import { converseByAnthropic } from './anthropic/conversation.js';
import { answerByAnthropic } from './anthropic/structured.js';
import type { ConversationModel } from './conversation.js';
import { converseByRules } from './local/conversation.js';
import { answerByRules } from './local/structured.js';
import { connect } from './openai/client.js';
import { converseByOpenAi } from './openai/conversation.js';
import { answerByOpenAi } from './openai/structured.js';
import type { StructuredLanguageModel } from './port.js';

/** The language models of this installation, whichever an agent names. */
export type LanguageModels = StructuredLanguageModel & ConversationModel;

export function createLanguageModels(config: Pick<Config, 'vendors' | 'egressAllow'>): LanguageModels {
  const policy = createAddressPolicy(config.egressAllow);
  return {
    async answer(request, signal) {
      signal.throwIfAborted();
      if (request.choice.provider === 'local') return answerByRules(request);
      if (request.choice.provider === 'anthropic') {
        return answerByAnthropic(connectAnthropic(request.choice, config.vendors, policy), request, signal);
      }
      return answerByOpenAi(connect(request.choice, config.vendors, policy), request, signal);
    },
    async *converse(request, signal) {
      signal.throwIfAborted();
      if (request.choice.provider === 'local') yield* converseByRules(request, signal);
      else if (request.choice.provider === 'anthropic') {
        yield* converseByAnthropic(connectAnthropic(request.choice, config.vendors, policy), request, signal);
      } else yield* converseByOpenAi(connect(request.choice, config.vendors, policy), request, signal);
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
