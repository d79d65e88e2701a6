import { type Log, type LogFields, silentLog } from '@voice/shared/log/log';
import type { Response } from 'express';
import { expect, it } from 'vitest';
import { apiError } from './error-codes.js';
import { writeError } from './wire-answers.js';

/** What is logged when a request ends in `thrown`. */
function loggedOf(thrown: unknown): readonly [level: string, fields: LogFields][] {
  const lines: [string, LogFields][] = [];
  const log: Log = {
    ...silentLog,
    warn: (fields) => lines.push(['warn', fields]),
    error: (fields) => lines.push(['error', fields]),
  };
  const response = { locals: { requestId: 'r' }, status: () => response, set: () => response, end: () => {} };
  writeError(response as unknown as Response, thrown, log);
  return lines;
}

it('a fault is logged as an error, with what caused it', () => {
  const bug = new TypeError('x is not a function');
  expect(loggedOf(bug)).toEqual([['error', { request_id: 'r', error_code: 'internal_error', err: bug }]]);
  const cause = new Error('connect ECONNREFUSED');
  expect(loggedOf(apiError('carrier_error', undefined, { cause }))).toEqual([
    ['error', { request_id: 'r', error_code: 'carrier_error', err: cause }],
  ]);
});

it('what was decided is no error: an alarm on errors is not for a client to set off', () => {
  expect(loggedOf(apiError('workers_at_capacity'))).toEqual([
    ['warn', { request_id: 'r', error_code: 'workers_at_capacity', reason: expect.any(String) }],
  ]);
});

it("a client's mistake is not logged beside the request", () => {
  expect(loggedOf(apiError('agent_not_found'))).toEqual([]);
});
