import { Registry } from 'prom-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LanguageModels } from './language-models.js';
import { meteredLanguageModels } from './metered.js';

const choice = { provider: 'openai', model: '', params: {} };
const signal = new AbortController().signal;
let registry: Registry;

const models: LanguageModels = {
  async answer({ schema }) {
    return { value: schema.parse({ insights: [] }), inputTokens: 700, outputTokens: 30 };
  },
  async *converse() {
    yield { type: 'text', delta: 'Hello.' };
    yield { type: 'usage', inputTokens: 50, outputTokens: 5 };
  },
};
const tokens = async () =>
  (await registry.getSingleMetric('language_model_tokens_total')!.get()).values.map(({ labels, value }) => [
    labels.purpose,
    labels.provider,
    labels.direction,
    value,
  ]);

beforeEach(() => {
  registry = new Registry();
});

describe('tokens of language models outside of calls', () => {
  it('are counted by purpose, provider and direction; answers pass unchanged', async () => {
    const metered = meteredLanguageModels(models, registry);
    const question = { choice, system: '', user: '', schema: z.unknown(), purpose: 'insights' };
    expect(await metered.answer(question, signal)).toMatchObject({
      value: { insights: [] },
      inputTokens: 700,
    });
    await metered.answer(question, signal);
    const types: string[] = [];
    for await (const event of metered.converse({ choice, messages: [], tools: [] }, signal))
      types.push(event.type);
    expect(types).toEqual(['text', 'usage']);
    expect(await tokens()).toEqual([
      ['insights', 'openai', 'input', 1400],
      ['insights', 'openai', 'output', 60],
      ['text_test', 'openai', 'input', 50],
      ['text_test', 'openai', 'output', 5],
    ]);
  });

  it('are none where the server says what is no count', async () => {
    const [inputTokens, outputTokens] = [-50, Number.NaN];
    const lying: LanguageModels = {
      async answer({ schema }) {
        return { value: schema.parse({}), inputTokens, outputTokens };
      },
      async *converse() {
        yield { type: 'usage', inputTokens, outputTokens };
      },
    };
    const metered = meteredLanguageModels(lying, registry);
    const question = { choice, system: '', user: '', schema: z.unknown(), purpose: 'insights' };
    const none = { inputTokens: 0, outputTokens: 0 };
    expect(await metered.answer(question, signal)).toMatchObject(none);
    for await (const event of metered.converse({ choice, messages: [], tools: [] }, signal))
      expect(event).toEqual({ type: 'usage', ...none });
  });

  it('are not counted for a question that failed', async () => {
    const failing = { ...models, answer: () => Promise.reject(new Error('away')) };
    const question = { choice, system: '', user: '', schema: z.unknown(), purpose: 'criteria' };
    await expect(meteredLanguageModels(failing, registry).answer(question, signal)).rejects.toThrow('away');
    expect(await tokens()).toEqual([]);
  });
});
