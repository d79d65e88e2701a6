import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it, onTestFinished } from 'vitest';
import { renewSession, SESSION_KEY } from './session-query.js';

it('asks anew who is signed in, and keeps nothing of who was before', async () => {
  const client = new QueryClient();
  const tenants = ['Clinic', 'Bank'];
  const session = new QueryObserver(client, {
    queryKey: SESSION_KEY,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => tenants.shift(),
  });
  onTestFinished(session.subscribe(() => {}));
  await expect.poll(() => session.getCurrentResult().data).toBe('Clinic');
  client.setQueryData(['live', 'calls'], ['of the clinic']);

  const renewed = renewSession(client);
  expect(client.getQueryState(SESSION_KEY)).toMatchObject({ status: 'pending', data: undefined });
  expect(client.getQueryData(['live', 'calls'])).toBeUndefined();
  await renewed;
  expect(session.getCurrentResult().data).toBe('Bank');
});
