import { ServiceError } from '@voice/shared/errors/service-error';
import { describe, expect, it } from 'vitest';
import { apiError } from '../../platform/http/error-codes.js';
import { ValidationError } from '../../platform/http/validation.js';
import { afterFailure, afterRefusal } from './refusals.js';

describe('a call that was refused', () => {
  const denied = (...reasons: string[]) => apiError('compliance_denied', undefined, { fields: { reasons } });
  it.each<[string, unknown, string]>([
    ['on the do-not-call list', denied('do_not_call'), 'skip'],
    ['no test number in the sandbox', apiError('sandbox_number_required'), 'skip'],
    ['its fields fill the prompt without bound', new ValidationError([]), 'skip'],
    ['on the list and outside of hours', denied('do_not_call', 'outside_calling_hours'), 'skip'],
    ['outside of hours', denied('outside_calling_hours'), 'later'],
    ['the tenant has no line left', denied('concurrent_calls_limit'), 'campaign_waits'],
    ['the agent is switched off', apiError('agent_inactive'), 'campaign_waits'],
    ['the agent says nothing of being an AI', denied('disclosure_missing'), 'campaign_waits'],
    ['the credit is used up', apiError('credit_exhausted'), 'campaign_waits'],
    ['the caller ID is not verified', apiError('caller_id_unverified'), 'campaign_waits'],
    ['the store is away', apiError('store_unavailable'), 'try_again'],
    ['nobody knows why', new Error('?'), 'try_again'],
    ['nothing is known at all', undefined, 'try_again'],
    ['an unknown refusal', new ServiceError({ code: 'new', status: 403, message: '' }), 'campaign_waits'],
  ])('because %s', (_, error, kind) => {
    expect(afterRefusal(error, 0).kind).toBe(kind);
  });

  const NOW = Date.UTC(2026, 0, 5);

  it.each([
    ['the number', denied('do_not_call'), 'do_not_call'],
    ['an unknown reason', denied('outside_calling_hours', 'new_reason'), 'new_reason'],
    ['no reason at all', apiError('compliance_denied'), 'compliance_denied'],
    [
      'reasons that are none',
      apiError('compliance_denied', undefined, { fields: { reasons: [1, null] } }),
      'compliance_denied',
    ],
    ['the sandbox', apiError('sandbox_number_required'), 'sandbox_number_required'],
  ])('for good, says why: %s', (_, error, reason) => {
    expect(afterRefusal(error, NOW)).toEqual({ kind: 'skip', reason });
  });

  it.each(['disclosure_missing', 'disclosure_names_no_ai', 'no_calling_hours'])(
    'because of its agent (%s) is looked at again in 15 s, whatever else is in the way',
    (reason) => {
      expect(afterRefusal(denied('outside_calling_hours', 'concurrent_calls_limit', reason), NOW)).toEqual({
        kind: 'campaign_waits',
        reason,
        until: NOW + 15_000,
      });
    },
  );

  it('for want of a free line is looked at again in 2 s; for anything else in 15 s', () => {
    expect(afterRefusal(denied('concurrent_calls_limit'), NOW)).toEqual({
      kind: 'campaign_waits',
      reason: 'concurrent_calls_limit',
      until: NOW + 2000,
    });
    expect(afterRefusal(apiError('credit_exhausted'), NOW)).toEqual({
      kind: 'campaign_waits',
      reason: 'credit_exhausted',
      until: NOW + 15_000,
    });
  });

  it('by our own fault is tried again; not where the carrier is not set up', () => {
    const failure = (code: string, status: number) => new ServiceError({ code, status, message: '' });
    expect(afterRefusal(failure('x', 499), NOW).kind).toBe('campaign_waits');
    expect(afterRefusal(failure('x', 500), NOW)).toEqual({ kind: 'try_again' });
    expect(afterRefusal(failure('carrier_error', 502), NOW)).toMatchObject({
      kind: 'campaign_waits',
      reason: 'carrier_error',
    });
  });

  it.each([
    ['that is known', '2026-01-05T08:00:00.000Z', NOW + 8 * 3_600_000],
    ['that is this moment', new Date(NOW).toISOString(), NOW + 600_000],
    ['that is over', new Date(NOW - 1).toISOString(), NOW + 600_000],
    ['that is unreadable', 'soon', NOW + 600_000],
    ['that is no text', 2030, NOW + 600_000],
    ['that is not said', null, NOW + 600_000],
  ])('waits until the hours open, at a time %s', (_, next_open_at, notBefore) => {
    const error = apiError('compliance_denied', undefined, {
      fields: { reasons: ['concurrent_calls_limit', 'outside_calling_hours'], next_open_at },
    });
    expect(afterRefusal(error, NOW)).toEqual({ kind: 'later', reason: 'outside_calling_hours', notBefore });
  });
});

describe('a call that could not be made by a fault of ours', () => {
  it.each<[number, string]>([
    [1, 'try_again'],
    [4, 'try_again'],
    [5, 'put_off'],
    [6, 'try_again'],
    [25, 'put_off'],
    [29, 'try_again'],
    [30, 'skip'],
    [31, 'skip'],
  ])('for the %i. time means %s for its contact', (failures, kind) => {
    expect(afterFailure(failures, 1000)).toMatchObject({ kind });
  });

  it('is not made for ten minutes, and then for good', () => {
    const reason = 'internal_error';
    expect(afterFailure(5, 1000)).toEqual({ kind: 'put_off', reason, until: 601_000 });
    expect(afterFailure(30, 1000)).toEqual({ kind: 'skip', reason });
  });
});
