import { describe, expect, it } from 'vitest';
import {
  deliveryResponse,
  testFireRequest,
  webhookConfigRequest,
  webhookCreate,
  webhookUpdate,
} from './schemas.js';

const URL = 'https://receiver.example/hook';
const create = (body: object) => webhookCreate.safeParse({ url: URL, ...body });
const messages = (answer: ReturnType<typeof create>) => answer.error?.issues.map(({ message }) => message);

describe("a webhook's URL", () => {
  const ofLength = (length: number) => `${URL}?${'x'.repeat(length - URL.length - 1)}`;

  it.each([
    ['https', URL, true],
    ['http', 'http://receiver.example', true],
    ['2048 characters', ofLength(2048), true],
    ['2049 characters', ofLength(2049), false],
    ['another scheme', 'ftp://receiver.example', false],
    ['a scheme that begins like http', 'httpx://receiver.example', false],
    ['none', 'receiver', false],
  ])('is judged: %s', (_what, url, accepted) => {
    for (const schema of [webhookCreate, webhookUpdate, webhookConfigRequest]) {
      expect(schema.safeParse({ url }).success).toBe(accepted);
    }
  });
});

describe('what a subscription opts into', () => {
  it('is everything by default', () => {
    expect(create({}).data).toEqual({ url: URL, event_types: ['*'], description: '' });
  });

  it.each<[string[], string[] | undefined]>([
    [['*'], undefined],
    [['call.started'], undefined],
    [['call.started', 'call.hangup'], undefined],
    [['call.started', 'call.started'], ['must not name a type twice']],
    [['*', 'call.started'], ['`*` stands alone']],
    [[], [expect.stringContaining('>=1')]],
  ])('%j', (event_types, refusal) => {
    expect(messages(create({ event_types }))).toEqual(refusal);
  });
});

describe('the description of a subscription', () => {
  it.each([
    [255, true],
    [256, false],
  ])('of %i characters: %s', (length, accepted) => {
    expect(create({ description: 'x'.repeat(length) }).success).toBe(accepted);
  });
});

describe('a change of a subscription', () => {
  it('changes nothing that is not given, and not the mode', () => {
    expect(webhookUpdate.parse({})).toEqual({});
    expect(webhookUpdate.safeParse({ sandbox: false }).success).toBe(false);
  });
});

describe('the payload of a test', () => {
  const fire = (payload: object) =>
    testFireRequest.safeParse({ event_type: 'call.started', payload }).success;
  /** As JSON: `{"a":"xx…"}`. */
  const ofSize = (size: number) => ({ a: 'x'.repeat(size - 8) });

  it('has at most 64 KB as JSON', () => {
    expect(JSON.stringify(ofSize(100))).toHaveLength(100);
    expect([fire(ofSize(65_536)), fire(ofSize(65_537))]).toEqual([true, false]);
  });
});

describe('a delivery', () => {
  const shown = {
    id: '0198f0c4-6d3e-7a51-9f0b-3c1d2e4f5a6b',
    webhook_id: '0198f0c4-6d3e-7a51-9f0b-3c1d2e4f5a6b',
    event_id: '0198f0c4-6d3e-7a51-9f0b-3c1d2e4f5a6b',
    event_type: 'call.started',
    url: URL,
    status: 'pending',
    response_status: null,
    error: null,
    origin: 'event',
    next_attempt_at: '2026-01-05T15:00:00.000Z',
    created_at: '2026-01-05T15:00:00.000Z',
    delivered_at: null,
  };

  it.each([
    [0, false],
    [1, true],
    [10, true],
    [11, false],
  ])('of attempt %i: %s', (attempt, accepted) => {
    expect(deliveryResponse.safeParse({ ...shown, attempt }).success).toBe(accepted);
  });

  it.each(['pending', 'succeeded', 'failed', 'skipped'])('may be %s', (status) => {
    expect(deliveryResponse.parse({ ...shown, attempt: 1, status }).status).toBe(status);
  });

  it.each(['event', 'replay', 'test'])('may be made for a %s', (origin) => {
    expect(deliveryResponse.parse({ ...shown, attempt: 1, origin }).origin).toBe(origin);
  });

  it.each([{ status: 'lost' }, { origin: 'chance' }])('is never %j', (wrong) => {
    expect(deliveryResponse.safeParse({ ...shown, attempt: 1, ...wrong }).success).toBe(false);
  });
});
