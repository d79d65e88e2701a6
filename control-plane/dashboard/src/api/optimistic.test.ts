import { QueryClient, queryOptions } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { ApiError } from './errors.js';
import { reasonOf, showAtOnce, shownBelow, shownIn } from './optimistic.js';

interface Webhook {
  readonly id: string;
  readonly on: boolean;
}
const all = queryOptions({ queryKey: ['live', 'webhooks'], queryFn: (): Webhook[] => [] });
const one = queryOptions({
  queryKey: ['live', 'webhooks', 'a'],
  queryFn: (): Webhook => ({ id: 'a', on: true }),
});
const off = (webhook: Webhook): Webhook => ({ ...webhook, on: false });

function clientWith(): QueryClient {
  const client = new QueryClient();
  client.setQueryData(all.queryKey, [
    { id: 'a', on: true },
    { id: 'b', on: true },
  ]);
  client.setQueryData(one.queryKey, { id: 'a', on: true });
  return client;
}
const switchOff = (id: string) => [
  shownIn(all, (webhooks) => webhooks.map((each) => (each.id === id ? off(each) : each))),
  ...(id === 'a' ? [shownIn(one, off)] : []),
];

describe('showAtOnce', () => {
  it('shows a change in every answer that has it, and takes it back', async () => {
    const client = clientWith();
    const before = client.getQueryData(all.queryKey);
    const takeBack = await showAtOnce(client, switchOff('a'));
    expect(client.getQueryData(all.queryKey)).toEqual([
      { id: 'a', on: false },
      { id: 'b', on: true },
    ]);
    expect(client.getQueryData(one.queryKey)).toEqual({ id: 'a', on: false });
    takeBack();
    expect(client.getQueryData(all.queryKey)).toEqual(before);
    expect(client.getQueryData(one.queryKey)).toEqual({ id: 'a', on: true });
  });

  it('leaves what came after a change as it is when the change is taken back', async () => {
    const client = clientWith();
    const takeBack = await showAtOnce(client, switchOff('a'));
    await showAtOnce(client, switchOff('b'));
    takeBack();
    expect(client.getQueryData(all.queryKey)).toContainEqual({ id: 'b', on: false });
    expect(client.getQueryData(one.queryKey)).toEqual({ id: 'a', on: true });
  });

  it('changes a list by whatever filters it was asked for, and nothing that was not asked for', async () => {
    const client = new QueryClient();
    for (const filter of ['x', 'y']) client.setQueryData(['live', 'dnc', { filter }], [1, 2]);
    client.setQueryData(['sandbox', 'dnc', {}], [1, 2]);
    await showAtOnce(client, [
      shownBelow<number[]>(['live', 'dnc'], (rows) => rows.filter((row) => row !== 1)),
      shownIn(one, off),
    ]);
    expect(client.getQueriesData({}).map(([, rows]) => rows)).toEqual([[2], [2], [1, 2]]);
  });

  it('drops an answer that is under way, which would show the old state again', async () => {
    const client = clientWith();
    let answer: (webhook: Webhook) => void = () => {};
    const late = new Promise<Webhook>((resolve) => {
      answer = resolve;
    });
    const asked = client.fetchQuery({ ...one, queryFn: () => late, staleTime: 0 }).catch(() => 'dropped');
    await showAtOnce(client, switchOff('a'));
    answer({ id: 'a', on: true });
    await asked;
    expect(client.getQueryData(one.queryKey)).toEqual({ id: 'a', on: false });
  });
});

describe('reasonOf', () => {
  it('says what the service said, and what to do', () => {
    const error = new ApiError({ status: 429, code: 'rate_limited', message: 'Slow down.', retryAfter: 7 });
    expect(reasonOf(error)).toBe('Slow down. Too many requests. Try again in 7 seconds.');
  });
});
