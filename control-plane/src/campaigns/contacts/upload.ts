import type { Request } from 'express';
import { z } from 'zod';
import { receiveCsvFile } from '../../platform/http/csv-upload.js';
import { ContactList } from './contact-list.js';
import { readContactsCsv } from './contacts-csv.js';

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

/** Reads the contacts of an upload while it arrives. */
export function receiveContacts(
  request: Request,
): Promise<{ readonly value: ContactList; readonly digest: Buffer }> {
  return receiveCsvFile(request, readContactsCsv);
}
