import { ServiceError } from '@voice/shared/errors/service-error';
import { APIConnectionError, APIError } from 'openai';
import { apiError } from '../platform/http/error-codes.js';

/** Statuses after which the same question may be answered. */
const MAY_PASS: readonly number[] = [408, 409, 425, 429];

/** Returns what went wrong with a language model, in the port's terms. */
export function languageModelFailure(error: unknown): ServiceError {
  if (error instanceof ServiceError) {
    const { message, retryable } = error;
    return error.code.startsWith('language_model_')
      ? error
      : apiError('language_model_failed', message, { cause: error, retryable });
  }
  if (error instanceof APIConnectionError) {
    // What the egress guard refused comes wrapped as a failed connection.
    if (error.cause instanceof ServiceError) return languageModelFailure(error.cause);
    return apiError('language_model_failed', 'The language model could not be reached.', {
      cause: error,
      retryable: true,
    });
  }
  if (error instanceof APIError) {
    const status = error.status ?? 500;
    const retryable = mayPass(status);
    return apiError(
      'language_model_failed',
      error.code === 'insufficient_quota'
        ? 'The account at the language model has no quota left.'
        : `The language model refused or failed (HTTP ${status}).`,
      { cause: error, retryable: retryable && error.code !== 'insufficient_quota' },
    );
  }
  return apiError('language_model_failed', 'The language model broke off in mid-answer.', {
    cause: error,
    retryable: true,
  });
}

function mayPass(status: number): boolean {
  return status >= 500 || MAY_PASS.includes(status);
}

/** Builds the error for a model that refused a request or failed over it. */
export function refusedBy(status: number, body: string): ServiceError {
  return apiError('language_model_failed', `The language model refused or failed (HTTP ${status}).`, {
    cause: new Error(body),
    retryable: mayPass(status),
  });
}

/** Builds the error for a model whose answer did not fit what was asked for, twice. */
export function invalidAnswer(problem: string, cause?: unknown): ServiceError {
  return apiError(
    'language_model_invalid_answer',
    `The language model's answer does not have the asked form: ${problem}`,
    {
      cause,
    },
  );
}
