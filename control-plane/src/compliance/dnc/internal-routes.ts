import { e164 } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { apiError } from '../../platform/http/error-codes.js';
import { queryInt } from '../../platform/http/query.js';
import { noContent, type Route, reply, route } from '../../platform/http/route.js';
import type { DncRegistry } from './registry.js';

const path = '/internal/compliance/dnc';
const tag = 'Internal';
const entry = z.object({ phone_number: e164, note: z.string().nullable(), created_at: z.iso.datetime() });

/** Declares the routes of the operator's do-not-call list, which binds every tenant. */
export function operatorDncRoutes(registry: DncRegistry): Route[] {
  return [
    route({
      method: 'get',
      path,
      operationId: 'operatorListDoNotCall',
      tag,
      summary: "The operator's do-not-call list, by number",
      auth: 'inter_plane',
      query: z.object({
        after: e164.optional().describe('The last number of the page before.'),
        limit: queryInt({ min: 1, max: 1000, default: 100 }),
      }),
      responses: {
        200: { description: 'A page.', schema: z.object({ entries: z.array(entry), has_more: z.boolean() }) },
      },
      handler: async ({ query }) => {
        const { rows, hasMore } = await registry.listForAll(query.after, query.limit);
        return reply(200, {
          entries: rows.map((row) => ({
            phone_number: row._id,
            note: row.note,
            created_at: row.created_at.toISOString(),
          })),
          has_more: hasMore,
        });
      },
    }),
    route({
      method: 'post',
      path,
      operationId: 'operatorAddDoNotCall',
      tag,
      summary: 'Put numbers on the list of all tenants',
      auth: 'inter_plane',
      body: z.strictObject({
        phone_numbers: z.array(e164).min(1).max(10_000),
        note: z.string().max(500).nullable().default(null),
      }),
      responses: {
        200: {
          description: 'How many were not on it before.',
          schema: z.object({ added: z.number().int(), already_listed: z.number().int() }),
        },
      },
      handler: async ({ body }) => {
        const numbers = [...new Set(body.phone_numbers)];
        const added = await registry.addForAll(numbers, body.note);
        return reply(200, { added, already_listed: numbers.length - added });
      },
    }),
    route({
      method: 'delete',
      path: `${path}/{phone_number}`,
      operationId: 'operatorRemoveDoNotCall',
      tag,
      summary: 'Take a number off the list of all tenants',
      auth: 'inter_plane',
      params: z.object({ phone_number: e164 }),
      responses: { 204: { description: 'It is off the list.' } },
      errors: ['dnc_entry_not_found'],
      handler: async ({ params }) => {
        if (!(await registry.removeForAll(params.phone_number))) throw apiError('dnc_entry_not_found');
        return noContent();
      },
    }),
  ];
}
