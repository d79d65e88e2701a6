import { MutationObserver, onlineManager, QueryObserver } from '@tanstack/react-query';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ApiError } from './errors.js';
import { createQueryClient } from './query-client.js';
import { SESSION_KEY } from './session-query.js';

describe('what asks the API', () => {
  it('asks also where the browser takes itself for offline: the service may be on this machine', async () => {
    onlineManager.setOnline(false);
    onTestFinished(() => onlineManager.setOnline(true));
    const client = createQueryClient(() => {});
    expect(await client.fetchQuery({ queryKey: ['live', 'calls'], queryFn: async () => 'read' })).toBe(
      'read',
    );
    expect(await new MutationObserver(client, { mutationFn: async () => 'saved' }).mutate()).toBe('saved');
  });

  it('asks again once the browser is online', async () => {
    const client = createQueryClient(() => {});
    const queryFn = vi.fn(async () => 'read');
    client.mount();
    const calls = new QueryObserver(client, { queryKey: ['live', 'calls'], queryFn, staleTime: 0 });
    onTestFinished(calls.subscribe(() => {}));
    onTestFinished(() => client.unmount());
    await expect.poll(() => calls.getCurrentResult().data).toBe('read');
    onlineManager.setOnline(false);
    onlineManager.setOnline(true);
    await expect.poll(() => queryFn.mock.calls.length).toBe(2);
  });

  it('says once that the session is over, and asks anew who is signed in', async () => {
    const refused = new ApiError({ status: 401, code: 'session_expired', message: '' });
    const onSessionOver = vi.fn();
    const client = createQueryClient(onSessionOver);
    const whoIs = vi.fn(async () => 'Clinic');
    const session = new QueryObserver(client, {
      queryKey: SESSION_KEY,
      queryFn: whoIs,
      staleTime: Number.POSITIVE_INFINITY,
    });
    onTestFinished(session.subscribe(() => {}));
    await expect.poll(() => session.getCurrentResult().data).toBe('Clinic');
    await Promise.allSettled(
      ['calls', 'agents'].map((what) =>
        client.fetchQuery({ queryKey: ['live', what], queryFn: () => Promise.reject(refused) }),
      ),
    );
    await expect.poll(() => whoIs.mock.calls.length).toBe(2);
    expect(onSessionOver).toHaveBeenCalledOnce();
  });
});
