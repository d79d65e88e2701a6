import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import { toProviderError } from './errors.js';

function refusal(status: number, error: object): APIError {
  return APIError.generate(status, { error }, undefined, new Headers());
}

describe("an OpenAI failure in the port's terms", () => {
  it.each([
    ['a wrong key', refusal(401, { code: 'invalid_api_key' }), 'llm_unauthorized', false],
    ['a model that is not there', refusal(404, { code: 'model_not_found' }), 'llm_bad_request', false],
    [
      'too many requests',
      refusal(429, { code: 'rate_limit_exceeded', type: 'requests' }),
      'llm_rate_limited',
      true,
    ],
    [
      'no credits left',
      refusal(429, { code: 'credit_balance_exhausted', type: 'insufficient_quota' }),
      'llm_rate_limited',
      false,
    ],
    ['an overloaded server', refusal(503, {}), 'llm_unavailable', true],
    ['no connection', new APIConnectionError({ message: 'refused' }), 'llm_unavailable', true],
    ['no answer in time', new APIConnectionTimeoutError(), 'llm_timed_out', true],
    ['a body that ends too early', new TypeError('terminated'), 'llm_disconnected', true],
    ['an answer that is not JSON', new SyntaxError('Unexpected token'), 'llm_protocol_violation', true],
  ])('%s', (_case, error, code, retryable) => {
    expect(toProviderError(error)).toMatchObject({ name: 'ProviderError', kind: 'llm', code, retryable });
  });

  it.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '7', 'retry-after-ms': '250' }, 0.25],
    [{ 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }, undefined],
    [{}, undefined],
  ])('with the headers %o asks to wait %s s', (headers, seconds) => {
    const error = APIError.generate(429, { error: {} }, undefined, new Headers(headers));
    expect(toProviderError(error).retryAfterSeconds).toBe(seconds);
  });
});
