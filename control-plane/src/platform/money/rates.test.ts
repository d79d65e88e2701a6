import { PRODUCTION_CARRIERS } from '@voice/shared/catalogue/carriers';
import { PROVIDER_CATALOGUE } from '@voice/shared/catalogue/providers';
import { describe, expect, it } from 'vitest';
import { RATES, rateOf } from './rates.js';

/** What runs on this machine costs nothing. */
const LOCAL = 'local';
const entries = PROVIDER_CATALOGUE.flatMap(({ kind, name, models, takesAnyModel }) =>
  ['', ...models.map(({ family }) => family), ...(takesAnyModel ? ['a model of tomorrow'] : [])].map(
    (model) => [kind, name, model] as const,
  ),
);
const paid = entries.filter(([, provider]) => provider !== LOCAL);
const tableOf = (kind: (typeof entries)[number][0]) => RATES[kind];
/** The amounts of a rate, however it is made up. */
const amountsOf = (rate: unknown): unknown[] =>
  typeof rate === 'object' && rate !== null ? Object.values(rate).flatMap(amountsOf) : [rate];

describe('the rate table', () => {
  it.each(paid)('has a rate for the canonical %s provider %s, model "%s"', (kind, provider, model) => {
    for (const amount of amountsOf(rateOf<unknown>(tableOf(kind), provider, model))) {
      expect(amount).toBeGreaterThan(0);
      expect(Number.isInteger(amount)).toBe(true);
    }
  });

  it.each(entries.filter(([, provider]) => provider === LOCAL))(
    'charges nothing for the %s provider %s',
    (kind, provider, model) => {
      expect(rateOf<unknown>(tableOf(kind), provider, model)).toBeUndefined();
    },
  );

  it('has a rate for each carrier that calls production numbers, both ways', () => {
    expect(Object.keys(RATES.carrier)).toEqual(PRODUCTION_CARRIERS);
    for (const { inbound, outbound } of Object.values(RATES.carrier)) {
      for (const amount of [...amountsOf(inbound), ...amountsOf(outbound)]) expect(amount).toBeGreaterThan(0);
    }
  });

  it.each([
    ['gpt-4.1', 2_000_000],
    ['gpt-4.1-nano', 100_000],
    ['gpt-4.1-mini-2025-04-14', 400_000],
    ['gpt-5.1', 1_250_000],
    ['gpt-5.4-mini', 750_000],
    ['gpt-5-pro', 15_000_000],
    ['a model of tomorrow', 2_500_000],
  ])('charges by the longest family that a model belongs to: %s', (model, input) => {
    expect(rateOf(RATES.llm, 'openai', model)?.input).toBe(input);
  });

  it.each([
    ['openai', '', 32_000_000, 400_000],
    ['openai', 'gpt-realtime-2025-08-28', 32_000_000, 400_000],
    ['openai', 'gpt-realtime-mini-2025-10-06', 10_000_000, 300_000],
    ['openai', 'gpt-realtime-2.1-mini', 10_000_000, 300_000],
    ['gemini', 'gemini-3.8-live', 3_000_000, 3_000_000],
    ['gemini', 'gemini-2.5-flash-native-audio-preview-12-2025', 3_000_000, 3_000_000],
  ])('charges audio in, and cached, of %s %s', (provider, model, input, cached) => {
    expect(rateOf(RATES.realtime, provider, model)?.audio).toMatchObject({ input, cached });
  });

  it('charges the reasoning text of newer speech-to-speech models higher', () => {
    expect(rateOf(RATES.realtime, 'openai', 'gpt-realtime')?.text.output).toBe(16_000_000);
    expect(rateOf(RATES.realtime, 'openai', 'gpt-realtime-2.1')?.text.output).toBe(24_000_000);
  });

  it('names nobody by accident', () => {
    expect(rateOf(RATES.llm, 'constructor', 'gpt-4.1')).toBeUndefined();
  });
});
