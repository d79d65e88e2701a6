import { describe, expect, it } from 'vitest';
import { ApiError, apiErrorOf, remedyOf } from './errors.js';

const noHeader = () => null;

describe('an answer that is an error', () => {
  it('is what its body says', () => {
    const body = { detail: 'The agent is gone.', code: 'agent_not_found', request_id: 'r1' };
    expect(apiErrorOf(404, body, noHeader)).toMatchObject({
      message: 'The agent is gone.',
      status: 404,
      code: 'agent_not_found',
      requestId: 'r1',
    });
  });

  it('names each wrong field by its place in the form', () => {
    const body = {
      detail: [
        { loc: ['body', 'calling_hours', 'days', 0], msg: 'is missing', type: 'missing' },
        { loc: ['body'], msg: 'is no object', type: 'invalid_type' },
      ],
      request_id: 'r2',
    };
    const error = apiErrorOf(422, body, noHeader);
    expect(error.fields).toEqual([
      { path: 'calling_hours.days.0', message: 'is missing' },
      { path: '', message: 'is no object' },
    ]);
    expect([error.code, error.message]).toEqual([
      'invalid_fields',
      'calling_hours.days.0: is missing. is no object.',
    ]);
  });

  it('is still an error where the body is none of the API', () => {
    const header = (name: string) => ({ 'retry-after': '7', 'x-request-id': 'r3' })[name] ?? null;
    expect(apiErrorOf(502, undefined, header)).toMatchObject({
      message: 'The service answered 502.',
      code: 'unknown',
      requestId: 'r3',
      retryAfter: 7,
    });
  });
});

describe('what to do about an error', () => {
  const remedy = (status: number, code = 'x', retryAfter: number | null = null) =>
    remedyOf(new ApiError({ status, code, message: '', retryAfter }));

  it('depends on whose fault it is', () => {
    expect(remedy(0, 'unreachable')).toContain('online');
    expect(remedy(429, 'rate_limited', 7)).toContain('7 seconds');
    expect(remedy(503)).toContain('fault of the service');
    expect(remedy(404)).toContain('other mode');
  });

  it('is left to the message where that says it', () => expect(remedy(422)).toBeNull());
});
