import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../installation/api-client.js';
import { findDecisionLog } from './decision-log.js';

const CALL = '01a1f89d-9411-7163-83cc-0d0b3604120f';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'replay-test-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

function kept(...path: readonly string[]): string {
  const file = join(dataDir, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '{}');
  return file;
}
const find = (wanted: string, answer: string | Error = new Error('nothing runs')) =>
  findDecisionLog(wanted, {
    dataDir,
    fetch: async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });

describe('the decision log of a call', () => {
  it('is the file that is named', async () => {
    const path = kept('any.ndjson');
    expect(await find(path)).toEqual({ kind: 'file', path });
  });

  it.each([
    ['decision-logs', 'a-tenant', `${CALL}.ndjson`],
    ['workers', 'worker-1', 'ready', `${CALL}.decisions.ndjson`],
    ['workers', 'worker-1', 'in-progress', `${CALL}.decisions.ndjson`],
  ])('is found on the disk by its call, at %s/%s/%s', async (...path) => {
    kept('decision-logs', 'other', 'other.ndjson');
    const file = kept(...path);
    expect(await find(CALL.toUpperCase())).toEqual({ kind: 'file', path: file });
  });

  it('is asked for at the control plane where the disk has none', async () => {
    expect(await find(CALL, '{"options":{}}')).toEqual({ kind: 'text', text: '{"options":{}}' });
  });

  it.each([
    ['/nowhere/log.ndjson', new Error(''), /neither a file nor the id of a call/],
    [CALL, new ApiError(404, 'call_not_found', 'no'), /^There is no call 01a1f89d/],
    [CALL, new ApiError(404, 'decision_log_not_found', 'no'), /^No decision log of call .+ is kept/],
    [CALL, new ApiError(401, 'invalid_signature', 'no'), /INTERNAL_SECRET/],
    [CALL, new ApiError(503, 'store_unavailable', 'The store is away.'), /^The store is away\.$/],
    [CALL, new Error('Nothing runs on ./data.'), /under .+ cannot be asked\. Nothing runs/],
  ])('is not found by %s: says what is wrong', async (wanted, answer, says) => {
    await expect(find(wanted, answer)).rejects.toThrow(says);
  });
});
