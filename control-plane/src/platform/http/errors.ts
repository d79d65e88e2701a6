import { ServiceError } from '@voice/shared/errors/service-error';
import { mongo } from 'mongoose';
import { apiError } from './error-codes.js';
import { ValidationError } from './validation.js';

export { isDuplicateKey } from '../store/duplicate-keys.js';

/** Errors of the driver that say nothing of the request: nobody reachable, a connection lost, a pool closed. */
const UNREACHABLE =
  /^Mongo(ose)?(Network|ServerSelection|NotConnected|Topology|Pool|WaitQueue|ServerClosed|OperationTimeout)/;
/** Answers of a server that is stepping down or shutting down (MongoDB's "not primary" and "interrupted" codes). */
const STEPPING_DOWN: readonly unknown[] = [91, 189, 10107, 11600, 11602, 13435, 13436];

/** What the driver lets through as it is when a pooled connection dies; adapters to other services wrap theirs. */
const DEAD_SOCKET: readonly unknown[] = ['EPIPE', 'ECONNRESET'];

/** MongoDB's OutOfDiskSpace, and what the file system says of a disk, a quota or a limit that is reached. */
const OUT_OF_DISK_SPACE = 14031;
const NO_ROOM: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return (
    NO_ROOM.includes(error.code) ||
    (error instanceof mongo.MongoServerError && error.code === OUT_OF_DISK_SPACE)
  );
}

function isStoreFailure(error: unknown): boolean {
  // The driver wraps what breaks a bulk in an error of the server's kind.
  if (error instanceof mongo.MongoBulkWriteError && (error.errorResponse as unknown) instanceof Error) {
    return isStoreFailure(error.errorResponse);
  }
  if (error instanceof mongo.MongoServerError && STEPPING_DOWN.includes(error.code)) return true;
  if (!(error instanceof Error)) return false;
  return UNREACHABLE.test(error.name) || ('code' in error && DEAD_SOCKET.includes(error.code));
}

/** Everything that was thrown, as the one error type with a public side. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isStorageFull(error)) {
    return apiError('storage_full', undefined, { cause: error, retryable: true, retryAfterSeconds: 5 });
  }
  if (isStoreFailure(error)) {
    return apiError('store_unavailable', undefined, { cause: error, retryable: true, retryAfterSeconds: 1 });
  }
  return apiError('internal_error', undefined, { cause: error });
}

/** Builds the body of every error answer. */
export function errorBody(error: ServiceError, requestId: string): Record<string, unknown> {
  return {
    ...error.fields,
    detail: error instanceof ValidationError ? error.detail : error.message,
    code: error.code,
    request_id: requestId,
  };
}
