import { createHash } from 'node:crypto';
import { PassThrough, Transform } from 'node:stream';
import busboy from 'busboy';
import type { Request } from 'express';
import { z } from 'zod';
import { apiError } from '../../http/error-codes.js';
import { ContactList } from './contact-list.js';
import { readContactsCsv } from './contacts-csv.js';

/** Far more than 10,000 ordinary contacts need. */
const FILE_LIMIT_BYTES = 32 * 1024 * 1024;

/** The body of an upload: multipart/form-data with one CSV file. */
export const contactsFile = z
  .custom<ContactList>((value) => value instanceof ContactList)
  .meta({
    id: 'ContactsUpload',
    type: 'object',
    required: ['file'],
    properties: {
      file: {
        type: 'string',
        contentMediaType: 'text/csv',
        description:
          'CSV in UTF-8 or UTF-16 with a header. Required column: `phone` (or `phone_number`); optional: ' +
          '`first_name`, `last_name`; any other becomes a field of `contact_data`.',
      },
    },
  });

/**
 * Reads the first file of a multipart request while it arrives. The digest is of the file alone: a client
 * that sends it again draws another boundary.
 */
export async function receiveContacts(
  request: Request,
): Promise<{ readonly value: ContactList; readonly digest: Buffer }> {
  const form = openForm(request);
  const hash = createHash('sha256');
  try {
    const value = await new Promise<ContactList>((resolve, reject) => {
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
        readContactsCsv(stream.pipe(hashed)).then(resolve, (error: unknown) => {
          stream.unpipe(hashed);
          stream.resume();
          reject(error);
        });
      });
      form.on('error', (cause) => reject(apiError('malformed_request', undefined, { cause })));
      form.on('close', () => {
        if (!file) reject(apiError('csv_invalid', 'The form has no file.'));
      });
      request.on('error', reject);
      request.on('close', () => {
        if (!request.complete) reject(apiError('malformed_request', 'The upload broke off.'));
      });
      request.pipe(form);
    });
    return { value, digest: hash.digest() };
  } catch (error) {
    // What still comes is read away, so that the refusal reaches a client that is still sending.
    request.unpipe(form);
    request.pipe(new PassThrough()).resume();
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
