import { newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { accountResponse, checkoutRequest, creditGrant, dailyCapChange, usageSummary } from './schemas.js';

const takes = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe('a request for a checkout', () => {
  it.each([
    [{}, true],
    [{ success_url: 'https://example.com/yes', cancel_url: 'http://example.com/no' }, true],
    [{ success_url: 'javascript:alert(1)' }, false],
    [{ cancel_url: 'ftp://example.com' }, false],
    [{ success_url: `https://example.com/${'a'.repeat(1980)}` }, true],
    [{ success_url: `https://example.com/${'a'.repeat(1981)}` }, false],
    [{ plan: 'starter' }, true],
    [{ plan: 'growth' }, true],
    [{ plan: 'scale' }, true],
    [{ plan: 'gold' }, false],
    [{ plan: 'toString' }, false],
    [{ other: 1 }, false],
  ])('case %#', (request, taken) => {
    expect(takes(checkoutRequest, request)).toBe(taken);
  });

  it('says what an address must be', () => {
    const { error } = checkoutRequest.safeParse({ success_url: 'mailto:a@example.com' });
    expect(error?.issues[0]?.message).toBe('must be an http or https URL');
  });
});

describe('a grant of credit', () => {
  const grant = { id: newId(), amount_usd: 1 };

  it.each([
    [{}, true],
    [{ amount_usd: 0.000001 }, true],
    [{ amount_usd: 0 }, false],
    [{ amount_usd: 1_000_000 }, true],
    [{ amount_usd: 1_000_001 }, false],
    [{ id: 'again' }, false],
    [{ reason: 'r'.repeat(500) }, true],
    [{ reason: 'r'.repeat(501) }, false],
    [{ tenant: newId() }, false],
  ])('case %#', (fields, taken) => {
    expect(takes(creditGrant, { ...grant, ...fields })).toBe(taken);
  });

  it('needs no reason', () => {
    expect(creditGrant.parse(grant).reason).toBe('');
  });
});

describe('a daily cap', () => {
  it.each([
    [{ limit_usd: null }, true],
    [{ limit_usd: 0 }, true],
    [{ limit_usd: -0.01 }, false],
    [{ limit_usd: 1_000_000 }, true],
    [{ limit_usd: 1_000_001 }, false],
    [{}, false],
    [{ limit_usd: 1, day: 'today' }, false],
  ])('case %#', (change, taken) => {
    expect(takes(dailyCapChange, change)).toBe(taken);
  });
});

it.each([
  [null, true],
  ['payment_method_required', true],
  ['credit_exhausted', true],
  ['daily_cap_reached', true],
  ['bored', false],
])('an account says why it is refused, if it is: %s', (refusal, taken) => {
  expect(takes(accountResponse.shape.refusal, refusal)).toBe(taken);
});

it('a summary of usage is in USD', () => {
  expect(usageSummary.shape.currency.safeParse('usd').success).toBe(true);
  expect(usageSummary.shape.currency.safeParse('eur').success).toBe(false);
});
