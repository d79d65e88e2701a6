import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { carrierRate } from '../../billing/carrier-rate.js';
import { testConfig } from '../../testing/control-plane.js';
import { RATES, rateOf } from './rates.js';

const folder = mkdtempSync(join(tmpdir(), 'rates-'));
afterAll(() => rmSync(folder, { recursive: true }));

const configWith = (content: unknown) => {
  const path = join(folder, 'rates.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return testConfig('mongodb://localhost', { RATES_FILE: path });
};

describe('RATES_FILE', () => {
  it('replaces the rates that it names, in USD, and leaves the others', () => {
    const { rates } = configWith({
      currency: 'USD',
      carrier: { twilio: { outbound: { countries: { DE: { mobile: 0.02 } }, elsewhere: { mobile: 0.5 } } } },
      llm: { openai: { 'gpt-4.1-mini': { input: 0.3, output: 1.2 } } },
      stt: { acme: { '': 0.001 } },
      service: 0.02,
    });
    const call = (toNumber: string) =>
      carrierRate(rates.carrier, { carrier: 'twilio', direction: 'outbound', toNumber });
    expect(call('+4915112345678')).toBe(20_000);
    expect(call('+493012345')).toBe(15_000);
    expect(call('+37127312345')).toBe(500_000);
    expect(call('+12125551000')).toBe(14_000);
    expect(rateOf(rates.llm, 'openai', 'gpt-4.1-mini')).toEqual({ input: 300_000, output: 1_200_000 });
    expect(rateOf(rates.llm, 'openai', 'gpt-4.1')).toEqual(rateOf(RATES.llm, 'openai', 'gpt-4.1'));
    expect(rateOf(rates.stt, 'acme', 'x')).toBe(1_000);
    expect([rates.service, rates.tts]).toEqual([20_000, RATES.tts]);
  });

  it('is not needed: then list prices hold', () => {
    expect(testConfig('mongodb://localhost').rates).toEqual(RATES);
  });

  it.each([
    ['no JSON', '{', /^RATES_FILE: .+rates\.json cannot be read as JSON/],
    ['another currency', { currency: 'EUR' }, /^RATES_FILE: .+currency/],
    ['no currency', {}, /^RATES_FILE: .+currency/],
    ['an unknown part', { currency: 'USD', sms: 1 }, /^RATES_FILE: /],
    [
      'a negative price',
      { currency: 'USD', tts: { elevenlabs: { '': -1 } } },
      /^RATES_FILE: .+tts\.elevenlabs/,
    ],
  ])('with %s is refused at the start, by its name', (_, content, message) => {
    expect(() => configWith(content)).toThrow(message);
  });

  it('that is not there is refused, by its name', () => {
    expect(() => testConfig('mongodb://localhost', { RATES_FILE: '/nowhere.json' })).toThrow(
      /^RATES_FILE: \/nowhere\.json cannot be read/,
    );
  });
});
