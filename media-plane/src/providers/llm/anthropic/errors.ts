import { ProviderError } from '../../provider-error.js';
import { classifyStatus, retryAfterSeconds } from '../../provider-socket.js';

export const PROVIDER = 'anthropic';

export function llmError(code: string, message: string, retryable: boolean, cause?: unknown): ProviderError {
  return new ProviderError({ provider: PROVIDER, kind: 'llm', code, message, retryable, cause });
}

/** Statuses of errors that come within an answer (platform.claude.com/docs/en/api/errors). */
const STATUS_BY_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 408,
  overloaded_error: 529,
};

/** Maps a refused request to an error; 529 says that the service is overloaded. */
export function errorOfResponse(status: number, body: string, retryAfter: string | null): ProviderError {
  // A low balance comes as an invalid request.
  if (/credit balance is too low/.test(body)) {
    return llmError('rate_limited', 'the anthropic account has no credit left', false, new Error(body));
  }
  const { code, retryable } = classifyStatus(status);
  return new ProviderError({
    provider: PROVIDER,
    kind: 'llm',
    code,
    message: `the language model refused or failed (HTTP ${status})`,
    retryable,
    retryAfterSeconds: retryAfterSeconds(retryAfter),
    cause: new Error(body),
  });
}

/** Maps an error event within an answer. */
export function errorOfEvent(type: string, message: string): ProviderError {
  const { code, retryable } = classifyStatus(STATUS_BY_TYPE[type] ?? 500);
  const cause = new Error(`${type}: ${message}`);
  return llmError(code, 'the language model refused or failed (in mid-answer)', retryable, cause);
}

/** Maps what fetch throws: a request that did not get there, and a body that ends too early. */
export function errorOfFetch(error: unknown, hasBegun: boolean): ProviderError {
  if (error instanceof ProviderError) return error;
  if (hasBegun) return disconnected(error);
  const isLate =
    error instanceof Error && (error.name === 'TimeoutError' || causeCode(error).endsWith('_TIMEOUT'));
  return isLate
    ? llmError('timed_out', 'the language model did not answer in time', true, error)
    : llmError('unavailable', 'the language model could not be reached', true, error);
}

function causeCode({ cause }: Error): string {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
}

export function disconnected(cause?: unknown): ProviderError {
  return llmError('disconnected', 'the language model broke off in mid-answer', true, cause);
}
