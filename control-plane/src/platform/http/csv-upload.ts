import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import busboy from 'busboy';
import type { Request } from 'express';
import { apiError } from './error-codes.js';
import { ValidationError } from './validation.js';

/** Far more than any list of numbers that may be uploaded needs. */
const FILE_LIMIT_BYTES = 32 * 1024 * 1024;

/**
 * Reads the one CSV file of a multipart request while it arrives. The digest is of the file alone: a
 * client that sends it again draws another boundary.
 */
export async function receiveCsvFile<T>(
  request: Request,
  read: (file: Readable) => Promise<T>,
): Promise<{ readonly value: T; readonly digest: Buffer }> {
  const form = openForm(request);
  const hash = createHash('sha256');
  try {
    const value = await new Promise<T>((resolve, reject) => {
      let file = false;
      form.on('file', (_name, stream) => {
        if (file) {
          stream.resume();
          reject(apiError('csv_invalid', 'Send one file.'));
          return;
        }
        file = true;
        stream.on('limit', () => reject(apiError('payload_too_large', 'The file is over 32 MiB.')));
        const hashed = new Transform({
          transform(chunk: Buffer, _encoding, done) {
            hash.update(chunk);
            done(null, chunk);
          },
        });
        stream.on('error', (error) => hashed.destroy(error));
        read(stream.pipe(hashed)).then(resolve, (error: unknown) => {
          stream.unpipe(hashed);
          stream.resume();
          reject(error);
        });
      });
      form.on('error', (cause) => reject(apiError('malformed_request', undefined, { cause })));
      form.on('close', () => {
        if (!file) {
          reject(new ValidationError([{ loc: ['body', 'file'], msg: 'Field required', type: 'missing' }]));
        }
      });
      request.on('error', reject);
      request.on('close', () => {
        if (!request.complete) reject(apiError('malformed_request', 'The upload broke off.'));
      });
      request.pipe(form);
    });
    return { value, digest: hash.digest() };
  } catch (error) {
    // What still comes is not read: it may be without end.
    request.unpipe(form);
    request.pause();
    throw error;
  }
}

function openForm(request: Request): busboy.Busboy {
  if (!/^multipart\/form-data\b/i.test(request.get('content-type') ?? '')) {
    throw apiError('unsupported_media_type', 'Send the file as multipart/form-data.');
  }
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: { files: 2, fields: 20, parts: 25, fileSize: FILE_LIMIT_BYTES },
    });
  } catch (cause) {
    throw apiError('malformed_request', 'The multipart body has no boundary.', { cause });
  }
}
