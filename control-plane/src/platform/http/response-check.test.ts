import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiError } from './error-codes.js';
import { checkError, checkReply } from './response-check.js';
import { noContent, reply, route } from './route.js';

const declared = route({
  method: 'get',
  path: '/api/v1/things/{thing_id}',
  operationId: 'getThing',
  tag: 'Things',
  summary: 'Get a thing',
  auth: 'api_key',
  params: z.object({ thing_id: z.uuid() }),
  responses: {
    200: { description: 'The thing.', schema: z.object({ id: z.string(), note: z.string().nullable() }) },
    204: { description: 'Nothing.' },
  },
  errors: ['agent_not_found'],
  handler: async () => noContent(),
});

describe('an answer held against its declaration', () => {
  it('passes when they agree', () => {
    expect(() => checkReply(declared, reply(200, { id: 'x', note: null }))).not.toThrow();
    expect(() => checkReply(declared, noContent())).not.toThrow();
    expect(() => checkError(declared, apiError('agent_not_found'))).not.toThrow();
    expect(() => checkError(declared, apiError('rate_limited'))).not.toThrow();
  });

  it.each([
    ['a field is missing', reply(200, { id: 'x' })],
    ['a field has another type', reply(200, { id: 1, note: null })],
    ['a field is not declared', reply(200, { id: 'x', note: null, more: 1 })],
    ['the status is not declared', reply(201, { id: 'x', note: null })],
    ['there is a body where none is declared', reply(204, {})],
  ])('fails when %s', (_what, answer) => {
    expect(() => checkReply(declared, answer)).toThrow();
  });

  it('fails for an error code that is not declared', () => {
    expect(() => checkError(declared, apiError('call_not_found'))).toThrow('call_not_found');
  });
});
