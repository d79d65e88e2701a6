import { NO_ACCOUNTS } from '@voice/shared/catalogue/testing/no-accounts';
import { describe, expect, it } from 'vitest';
import { defaultProviders } from './voice-config.js';

const llmOf = (openai: { apiKey?: string; url?: string; model?: string }) =>
  defaultProviders({ ...NO_ACCOUNTS, openai }).llm;

describe('the language model of agents that name none', () => {
  it('is the vendor’s with a key, and the rules without', () => {
    expect(llmOf({ apiKey: 'sk-1' })).toEqual({ provider: 'openai', model: '', params: {} });
    expect(llmOf({})).toMatchObject({ provider: 'local' });
    expect(llmOf({ url: 'https://api.openai.com/v1' })).toMatchObject({ provider: 'local' });
  });

  it('is the server of one’s own, which needs no key, with the model that it serves', () => {
    expect(llmOf({ url: 'http://127.0.0.1:11434/v1', model: 'llama3.2' })).toEqual({
      provider: 'openai',
      model: 'llama3.2',
      params: {},
    });
  });
});
