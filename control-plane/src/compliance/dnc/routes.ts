import { e164, uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { receiveCsvFile } from '../../platform/http/csv-upload.js';
import { queryCursor, queryInt, queryOffset } from '../../platform/http/query.js';
import { noContent, type Route, reply, route } from '../../platform/http/route.js';
import { queryIncludeTotal } from '../../platform/http/totals.js';
import { readNumbersCsv } from './numbers-csv.js';
import type { DncRegistry } from './registry.js';
import {
  dncEntryCreate,
  dncEntryResponse,
  dncImportResponse,
  dncListResponse,
  dncSource,
  numbersFile,
  presentEntry,
} from './schemas.js';

const tag = 'Compliance';
const params = z.object({ entry_id: uuid });

/** Declares the routes of the tenant's do-not-call list, one in each mode. */
export function dncRoutes(registry: DncRegistry): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/compliance/dnc',
      operationId: 'listDoNotCall',
      tag,
      summary: 'List the do-not-call entries',
      auth: 'tenant_in_mode',
      query: z.object({
        offset: queryOffset,
        limit: queryInt({ min: 1, max: 500, default: 50 }),
        cursor: queryCursor,
        phone_number: e164
          .optional()
          .describe('Only this number: is it on the list? Write the plus as `%2B`.'),
        source: dncSource.optional(),
        include_total: queryIncludeTotal,
      }),
      responses: { 200: { description: 'A page of entries, newest first.', schema: dncListResponse } },
      errors: ['invalid_cursor'],
      handler: async ({ scope, query }) => {
        const { rows, ...page } = await registry.list(scope, query);
        return reply(200, { entries: rows.map(presentEntry), ...page });
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/compliance/dnc',
      operationId: 'addDoNotCall',
      tag,
      summary: 'Put a number on the do-not-call list',
      description:
        'From then on the compliance gate denies calls to it, also those that wait to be dialed, in whichever spelling: ' +
        '`+4402079460000` is kept as `+442079460000`.',
      auth: 'tenant_in_mode',
      body: dncEntryCreate,
      responses: {
        200: { description: 'The number was on the list before; its entry.', schema: dncEntryResponse },
        201: { description: 'The new entry.', schema: dncEntryResponse },
      },
      handler: async ({ scope, body }) => {
        const { entry, added } = await registry.addOne(scope, body.phone_number, {
          source: 'api',
          note: body.note ?? null,
        });
        return reply(added ? 201 : 200, presentEntry(entry));
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/compliance/dnc/import',
      operationId: 'importDoNotCall',
      tag,
      summary: 'Put the numbers of a CSV file on the do-not-call list',
      auth: 'tenant_in_mode',
      bodyType: 'stream',
      body: numbersFile,
      receive: (request) => receiveCsvFile(request, readNumbersCsv),
      responses: {
        201: { description: 'What was added, and what was left out.', schema: dncImportResponse },
      },
      errors: ['csv_invalid'],
      handler: async ({ scope, body }) => {
        const added = await registry.add(scope, [...body.numbers], { source: 'import' });
        return reply(201, {
          rows: body.rows,
          added,
          already_listed: body.numbers.size - added,
          error_count: body.errorCount,
          errors: body.errors,
        });
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/compliance/dnc/{entry_id}',
      operationId: 'getDoNotCall',
      tag,
      summary: 'Get a do-not-call entry',
      auth: 'tenant_in_mode',
      params,
      responses: { 200: { description: 'The entry.', schema: dncEntryResponse } },
      errors: ['dnc_entry_not_found'],
      handler: async ({ scope, params }) =>
        reply(200, presentEntry(await registry.get(scope, params.entry_id))),
    }),
    route({
      method: 'delete',
      path: '/api/v1/compliance/dnc/{entry_id}',
      operationId: 'removeDoNotCall',
      tag,
      summary: 'Take a number off the do-not-call list',
      auth: 'tenant_in_mode',
      params,
      responses: { 204: { description: 'The number is off the list.' } },
      errors: ['dnc_entry_not_found'],
      handler: async ({ scope, params, log }) => {
        await registry.remove(scope, params.entry_id);
        log.info({ tenant: scope.tenant, entry_id: params.entry_id }, 'do-not-call entry removed');
        return noContent();
      },
    }),
  ];
}
