import { anthropicParams } from '../params/anthropic.js';
import { needsKey, ownAccount, type ProviderEntry, type TokenPrice } from '../provider-entry.js';

const tokens = (input: number, output: number): TokenPrice => ({ input, output });

/** Language models: the Messages API. */
export const anthropicLanguageModel = {
  kind: 'llm',
  name: 'anthropic',
  vendor: 'anthropic',
  defaultModel: 'claude-haiku-5-5',
  models: [{ family: 'claude-', capabilities: ['tools'], languages: 'unlisted' }],
  takesAnyModel: false,
  params: anthropicParams,
  credentials: ownAccount,
  isReachable: needsKey,
  price: {
    asOf: '2026-11',
    // Cached input counts as input. Prompts of Haiku 5.5 up to 100,000 tokens.
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    byModel: {
      // Models that are not named: as Opus 4.5 to 5.
      '': tokens(5, 25),
      'claude-haiku': tokens(1, 5),
      'claude-haiku-5-5': tokens(0.1, 0.5),
      'claude-sonnet': tokens(3, 15),
      'claude-sonnet-5': tokens(2, 10),
      'claude-opus-4-1': tokens(15, 75),
      'claude-opus-5-5': tokens(4, 20),
      'claude-fable': tokens(10, 50),
      'claude-mythos': tokens(10, 50),
    },
  },
  note: 'Its Messages API.',
} as const satisfies ProviderEntry<'llm'>;
