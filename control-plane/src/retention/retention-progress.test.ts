import { newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { RetentionProgress } from './retention-progress.js';

let store: TestStore;
let progress: RetentionProgress;
let scope: TenantScope;
beforeAll(async () => {
  store = await startTestStore();
  progress = new RetentionProgress(await store.connect());
});
afterAll(() => store?.close());
beforeEach(() => {
  scope = { tenant: newTenantId(), sandbox: false };
});

const place = (n: number) => ({ created_at: new Date(n), _id: `call ${n}` });

it('is the beginning until something is noted, and each part of each mode has its own', async () => {
  const beginning = { created_at: new Date(0), _id: '', left: [] };
  expect(await progress.of(scope, 'recordings')).toEqual(beginning);
  await progress.note(scope, 'recordings', place(3));
  expect(await progress.of(scope, 'recordings')).toEqual({ ...place(3), left: [] });
  expect(await progress.of(scope, 'transcripts')).toEqual(beginning);
  expect(await progress.of({ ...scope, sandbox: true }, 'recordings')).toEqual(beginning);
});

it('remembers what was passed by, once each, until it is made up for', async () => {
  await progress.note(scope, 'recordings', place(3), ['call 1', 'call 2']);
  await progress.note(scope, 'recordings', place(5), ['call 2', 'call 4']);
  await progress.note(scope, 'recordings', place(6));
  expect(await progress.of(scope, 'recordings')).toEqual({
    ...place(6),
    left: ['call 1', 'call 2', 'call 4'],
  });
  await progress.madeUp(scope, 'recordings', ['call 2', 'call 9']);
  await progress.madeUp(scope, 'recordings', []);
  expect(await progress.of(scope, 'recordings')).toEqual({ ...place(6), left: ['call 1', 'call 4'] });
});
