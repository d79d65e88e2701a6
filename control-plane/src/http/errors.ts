import { ServiceError } from '@voice/shared/errors/service-error';
import { mongo } from 'mongoose';
import { apiError } from './error-codes.js';
import { ValidationError } from './validation.js';

const STORE_FAILURES: readonly string[] = [
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoPoolClearedError',
  'MongooseServerSelectionError',
];

/** Whether a unique index refused a write (MongoDB error 11000). */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === 11000;
}

/** Everything that was thrown, as the one error type with a public side. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof Error && STORE_FAILURES.includes(error.name)) {
    return apiError('store_unavailable', undefined, { cause: error, retryable: true, retryAfterSeconds: 1 });
  }
  return apiError('internal_error', undefined, { cause: error });
}

/** The body of every error answer. */
export function errorBody(error: ServiceError, requestId: string): Record<string, unknown> {
  return {
    ...error.fields,
    detail: error instanceof ValidationError ? error.detail : error.message,
    code: error.code,
    request_id: requestId,
  };
}
