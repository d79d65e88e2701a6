import { e164, uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { totalFields } from '../../platform/http/totals.js';
import { DNC_SOURCES, type DncEntryDocument } from './model.js';
import { NumberList } from './numbers-csv.js';

export const dncSource = z
  .enum(DNC_SOURCES)
  .describe('`api`: added by request; `import`: by a file; `opt_out`: its owner asked for it in a call.');

export const dncEntryCreate = z
  .strictObject({
    phone_number: e164,
    note: z.string().max(500).optional().describe('Your own words on why.'),
  })
  .meta({ id: 'DncEntryCreate' });

export const dncEntryResponse = z
  .object({
    id: uuid,
    phone_number: e164,
    source: dncSource,
    note: z.string().nullable(),
    call_id: uuid.nullable().describe('The call in which its owner asked not to be called.'),
    quote: z.string().nullable().describe("The owner's words in that call."),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'DncEntryResponse' });

export const dncListResponse = z
  .object({
    entries: z.array(dncEntryResponse),
    ...totalFields,
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'DncListResponse' });

const count = z.number().int().nonnegative();

export const dncImportResponse = z
  .object({
    rows: count.describe('Rows of the file but for its header.'),
    added: count.describe('Numbers that were not on the list before.'),
    already_listed: count.describe('Numbers that were; their entries stay as they are.'),
    error_count: count,
    errors: z
      .array(z.object({ line: count, code: z.string(), message: z.string() }))
      .describe('The first 1,000 rows that were left out.'),
  })
  .meta({ id: 'DncImportResponse' });

export const numbersFile = z
  .custom<NumberList>((value) => value instanceof NumberList)
  .meta({
    id: 'DncImportUpload',
    type: 'object',
    required: ['file'],
    properties: {
      file: {
        type: 'string',
        contentMediaType: 'text/csv',
        description:
          'CSV in UTF-8 or UTF-16, at most 100,000 rows: with a header that names a column `phone`, ' +
          '`phone_number`, `number` or `telephone`, or without one and the numbers first.',
      },
    },
  });

export function presentEntry(entry: DncEntryDocument): z.infer<typeof dncEntryResponse> {
  return {
    id: entry._id,
    phone_number: entry.number,
    source: entry.source,
    note: entry.note,
    call_id: entry.call_id,
    quote: entry.quote,
    created_at: entry.created_at.toISOString(),
  };
}
