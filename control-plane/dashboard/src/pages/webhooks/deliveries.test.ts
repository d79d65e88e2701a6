import { describe, expect, it } from 'vitest';
import type { Delivery as Attempt } from '../../api/types.js';
import {
  answerText,
  deliveriesOf,
  indented,
  lastAnswered,
  pollMs,
  requestHead,
  statusOf,
} from './deliveries.js';

const NOW = Date.UTC(2026, 10, 22, 20, 0, 0);
let second = 0;

const attempt = (changes: Partial<Attempt> = {}): Attempt => {
  second += 1;
  return {
    id: `attempt-${second}`,
    webhook_id: 'webhook',
    event_id: 'event',
    event_type: 'call.completed',
    url: 'https://example.com/hook',
    attempt: 1,
    status: 'failed',
    response_status: 500,
    error: 'The receiver answered 500.',
    origin: 'event',
    next_attempt_at: null,
    created_at: new Date(NOW + second * 1000).toISOString(),
    delivered_at: null,
    ...changes,
  };
};
const only = (attempts: readonly Attempt[]) => {
  const [delivery, ...others] = deliveriesOf(attempts);
  if (delivery === undefined || others.length > 0) throw new Error('not one delivery');
  return delivery;
};

describe('deliveries', () => {
  it('hold the attempts at one event, the first one first', () => {
    const [first, second] = [attempt(), attempt({ attempt: 2, status: 'succeeded', response_status: 204 })];
    const delivery = only([second, first]);
    expect(delivery.attempts).toEqual([first, second]);
    expect(delivery.id).toBe(first.id);
    expect(statusOf(delivery)).toEqual({ word: 'Delivered', tone: 'good' });
  });

  it('are two where an event is replayed, and three where it is replayed again', () => {
    const event = attempt();
    const replays = [attempt({ origin: 'replay' }), attempt({ origin: 'replay' })];
    const retry = attempt({ origin: 'replay', attempt: 2 });
    const deliveries = deliveriesOf([retry, ...replays.toReversed(), event]);
    expect(deliveries.map(({ attempts }) => attempts.map(({ id }) => id))).toEqual([
      [replays[0]?.id, retry.id],
      [replays[1]?.id],
      [event.id],
    ]);
  });

  it('are two where two webhooks are sent one event', () => {
    const [a, b] = [attempt(), attempt({ webhook_id: 'another' })];
    const retry = attempt({ attempt: 2 });
    expect(deliveriesOf([retry, b, a]).map(({ attempts }) => attempts)).toEqual([[a, retry], [b]]);
  });

  it('hold attempts of the same millisecond in their order', () => {
    const first = attempt();
    const retry = attempt({ attempt: 2, created_at: first.created_at });
    expect(only([first, retry]).attempts).toEqual([first, retry]);
  });

  it('show what was answered in a few words', () => {
    const texts = [attempt(), attempt({ error: null, response_status: 204 }), attempt({ status: 'pending' })];
    expect(texts.map((one) => answerText(only([one])))).toEqual(['The receiver answered 500.', '204', '–']);
  });

  it('begin with the first attempt that is still listed', () => {
    const late = attempt({ attempt: 7 });
    expect(only([late]).attempts).toEqual([late]);
  });

  it('retry until the last attempt failed, and show the last answer meanwhile', () => {
    const failed = attempt();
    const pending = attempt({ attempt: 2, status: 'pending', response_status: null, error: null });
    const waiting = only([pending, failed]);
    expect(statusOf(waiting).word).toBe('Retrying');
    expect(lastAnswered(waiting)).toBe(failed);
    expect(statusOf(only([failed])).word).toBe('Failed');
    const fresh = only([attempt({ status: 'pending' })]);
    expect([statusOf(fresh).word, lastAnswered(fresh)]).toEqual(['Pending', null]);
  });

  it('are read again sooner while an attempt is due', () => {
    const due = (inMs: number) =>
      attempt({ status: 'pending', next_attempt_at: new Date(NOW + inMs).toISOString() });
    expect(pollMs([due(5000)], NOW)).toBeLessThan(pollMs([due(3_600_000)], NOW));
    expect(pollMs([], NOW)).toBe(pollMs([attempt()], NOW));
  });
});

it('the head of a request names the event and its id', () => {
  expect(requestHead(attempt())).toContain('X-Service-Event: call.completed\nX-Service-Event-Id: event\n');
});

it('writes a body with a line for each field, and what is no JSON as it is', () => {
  expect(indented('{"a":{"b":1}}')).toBe('{\n  "a": {\n    "b": 1\n  }\n}');
  expect(indented('{"a"')).toBe('{"a"');
});
