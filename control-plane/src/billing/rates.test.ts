import { describe, expect, it } from 'vitest';
import { canonicalProviders } from '../agents/provider-matrix.js';
import { RATES, rateOf } from './rates.js';

/** What runs on this machine costs nothing. */
const LOCAL = 'local';
const entries = canonicalProviders.flatMap(({ kind, provider, models }) =>
  ['', ...(models === 'any' ? ['a model of tomorrow'] : models)].map(
    (model) => [kind, provider, model] as const,
  ),
);
const paid = entries.filter(([, provider]) => provider !== LOCAL);
/** A speech-to-speech model reports tokens. */
const tableOf = (kind: (typeof entries)[number][0]) => RATES[kind === 'realtime' ? 'llm' : kind];

describe('the rate table', () => {
  it.each(paid)('has a rate for the canonical %s provider %s, model "%s"', (kind, provider, model) => {
    const rate = rateOf<unknown>(tableOf(kind), provider, model);
    const amounts = typeof rate === 'object' && rate !== null ? Object.values(rate) : [rate];
    for (const amount of amounts) {
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
    expect(Object.keys(RATES.carrier)).toEqual(['twilio', 'telnyx']);
    for (const { inbound, outbound } of Object.values(RATES.carrier)) {
      expect(Math.min(inbound, outbound)).toBeGreaterThan(0);
    }
  });

  it.each([
    ['gpt-4.1', 2_000_000],
    ['gpt-4.1-nano', 100_000],
    ['gpt-4.1-mini-2025-04-14', 400_000],
    ['gpt-5.1', 1_250_000],
    ['gpt-5.4-mini', 750_000],
    ['gpt-5-pro', 15_000_000],
    ['gpt-realtime-mini-2025-10-06', 10_000_000],
    ['a model of tomorrow', 2_500_000],
  ])('charges by the longest family that a model belongs to: %s', (model, input) => {
    expect(rateOf(RATES.llm, 'openai', model)?.input).toBe(input);
  });

  it('names nobody by accident', () => {
    expect(rateOf(RATES.llm, 'constructor', 'gpt-4.1')).toBeUndefined();
  });
});
