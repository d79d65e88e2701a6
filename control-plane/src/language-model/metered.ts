import type { ProviderChoice } from '@voice/shared/contracts/agent';
import { tokenCount } from '@voice/shared/contracts/token-count';
import { Counter, type Registry } from 'prom-client';
import type { LanguageModels } from './language-models.js';

/** What agents' conversations outside of calls are counted as. */
const TEXT_TEST = 'text_test';

/**
 * Returns the same models, their tokens counted by purpose. The analysis of a call is charged with the call, and text
 * tests of production are; everything else that is asked here (insights, criteria) tenants have free of charge, within
 * their rate limits, and this shows the operator what it takes.
 */
export function meteredLanguageModels(models: LanguageModels, registry: Registry): LanguageModels {
  const counter = new Counter({
    name: 'language_model_tokens_total',
    help: 'Tokens of language models that the control plane itself asked, by purpose, provider and direction.',
    labelNames: ['purpose', 'provider', 'direction'],
    registers: [registry],
  });
  const count = (
    purpose: string,
    { provider }: ProviderChoice,
    said: { readonly inputTokens: number; readonly outputTokens: number },
  ) => {
    const [inputTokens, outputTokens] = [tokenCount(said.inputTokens), tokenCount(said.outputTokens)];
    counter.inc({ purpose, provider, direction: 'input' }, inputTokens);
    counter.inc({ purpose, provider, direction: 'output' }, outputTokens);
    return { inputTokens, outputTokens };
  };
  return {
    async answer(request, signal) {
      const answer = await models.answer(request, signal);
      return { ...answer, ...count(request.purpose, request.choice, answer) };
    },
    async *converse(request, signal) {
      for await (const event of models.converse(request, signal)) {
        yield event.type === 'usage' ? { ...event, ...count(TEXT_TEST, request.choice, event) } : event;
      }
    },
  };
}
