import { describe, expect, it } from 'vitest';
import { ApiError, apiErrorOf, isOfImport, remedyOf } from './errors.js';

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

  it('ends each of its sentences once', () => {
    const detail = [{ loc: ['body', 'url'], msg: 'It leads to a private network.' }];
    expect(apiErrorOf(422, { detail }, () => null).message).toBe('url: It leads to a private network.');
  });

  it('says that the session is over where its cookie is gone, not which header a program sends', () => {
    const body = { detail: 'Send your API key as "Authorization: …".', code: 'missing_credentials' };
    expect(apiErrorOf(401, body, () => null).message).toBe('Your session is over.');
    const other = { detail: 'You are no member any more.', code: 'session_expired' };
    expect(apiErrorOf(401, other, () => null).message).toBe('You are no member any more.');
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

it('knows code that could not be fetched by what each browser says of it', () => {
  const words = [
    'Failed to fetch dynamically imported module: https://x.example/a.js',
    'error loading dynamically imported module: https://x.example/a.js',
    'Importing a module script failed.',
    'x is not a function',
  ];
  expect(words.map((message) => isOfImport(new TypeError(message)))).toEqual([true, true, true, false]);
});

describe('what to do about an error', () => {
  const remedy = (status: number, code = 'x', retryAfter: number | null = null) =>
    remedyOf(new ApiError({ status, code, message: '', retryAfter }));

  it('depends on whose fault it is', () => {
    expect(remedy(0, 'unreachable')).toContain('online');
    expect(remedy(0, 'no_json')).toContain('network');
    expect(remedy(429, 'rate_limited', 7)).toContain('7 seconds');
    expect(remedy(503)).toContain('fault of the service');
    expect(remedy(404)).toContain('other mode');
    expect(remedy(401)).toContain('Sign in in another tab');
  });

  it('is left to the message where that says it', () => expect(remedy(422)).toBeNull());
});
