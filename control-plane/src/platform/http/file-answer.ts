import type { Response } from 'express';
import { apiError } from './error-codes.js';

/** Returns what Express's file sender says: an HTTP status, or that the client is gone. */
function complaintOf(error: Error): { readonly status?: number; readonly code?: string } {
  return error as { status?: number; code?: string };
}

/**
 * Sends a file from disk, whole or the range that is asked for (RFC 9110, section 14). Throws 416
 * `range_not_satisfiable` for a range that it does not have, and `missing()` where there is no file.
 */
export function sendFileFromDisk(response: Response, path: string, missing: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    response.sendFile(path, { cacheControl: false, dotfiles: 'allow', lastModified: false }, (error) => {
      const { status, code } = error ? complaintOf(error) : {};
      // The client has hung up: there is nobody to answer.
      if (!error || code === 'ECONNABORTED') resolve();
      else if (status === 416) reject(apiError('range_not_satisfiable'));
      else reject(status === 404 ? missing() : error);
    });
  });
}
