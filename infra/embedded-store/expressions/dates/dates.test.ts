import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resultOf as resultIn } from '../../testing/expressions.js';
import { openStore, type StoreFixture } from '../../testing/store-fixture.js';

let store: StoreFixture;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

const resultOf = (expression: unknown, document: Document = {}, types = false) =>
  resultIn(store, expression, document, types);

const at = (text: string) => new Date(text);

describe('dates', () => {
  const d = at('2026-03-29T00:30:45.123Z'); // an hour before Berlin's clocks go forward
  test.each<[unknown, unknown]>([
    [{ $dateToString: { date: d } }, '2026-03-29T00:30:45.123Z'],
    [
      { $dateToString: { date: d, format: '%Y-%m-%d %H:%M', timezone: 'America/New_York' } },
      '2026-03-28 20:30',
    ],
    [{ $dateToString: { date: d, format: '%z %j %u %V', timezone: 'Europe/Berlin' } }, '+0100 088 7 13'],
    [{ $dateToString: { date: '$no', onNull: 'none' } }, 'none'],
    [{ $dateTrunc: { date: d, unit: 'day', timezone: 'Europe/Berlin' } }, at('2026-03-28T23:00:00Z')],
    [{ $dateTrunc: { date: d, unit: 'day', timezone: 'America/New_York' } }, at('2026-03-28T04:00:00Z')],
    [{ $dateTrunc: { date: d, unit: 'hour' } }, at('2026-03-29T00:00:00Z')],
    [{ $dateTrunc: { date: d, unit: 'minute', binSize: 15 } }, at('2026-03-29T00:30:00Z')],
    [{ $dateTrunc: { date: d, unit: 'week' } }, at('2026-03-29T00:00:00Z')],
    [{ $dateTrunc: { date: d, unit: 'week', startOfWeek: 'monday' } }, at('2026-03-23T00:00:00Z')],
    [{ $dateTrunc: { date: d, unit: 'month' } }, at('2026-03-01T00:00:00Z')],
    [{ $dateTrunc: { date: d, unit: 'quarter' } }, at('2026-01-01T00:00:00Z')],
    [{ $dateTrunc: { date: d, unit: 'year' } }, at('2026-01-01T00:00:00Z')],
    [
      { $dateAdd: { startDate: at('2026-01-31T12:00:00Z'), unit: 'month', amount: 1 } },
      at('2026-02-28T12:00:00Z'),
    ],
    [
      {
        $dateAdd: {
          startDate: at('2026-03-28T12:00:00Z'),
          unit: 'day',
          amount: 1,
          timezone: 'Europe/Berlin',
        },
      },
      at('2026-03-29T11:00:00Z'),
    ],
    [
      {
        $dateAdd: {
          startDate: at('2026-03-28T12:00:00Z'),
          unit: 'hour',
          amount: 24,
          timezone: 'Europe/Berlin',
        },
      },
      at('2026-03-29T12:00:00Z'),
    ],
    [
      { $dateSubtract: { startDate: at('2026-03-31T00:00:00Z'), unit: 'month', amount: 1 } },
      at('2026-02-28T00:00:00Z'),
    ],
    [
      {
        $dateDiff: {
          startDate: at('2026-01-31T23:59:00Z'),
          endDate: at('2026-02-01T00:00:00Z'),
          unit: 'month',
        },
      },
      1,
    ],
    [
      {
        $dateDiff: {
          startDate: at('2026-01-01T10:59:00Z'),
          endDate: at('2026-01-01T11:01:00Z'),
          unit: 'hour',
        },
      },
      1,
    ],
    [{ $hour: { date: d, timezone: 'Asia/Kolkata' } }, 6],
    [{ $dayOfWeek: d }, 1],
    [{ $isoWeek: d }, 13],
    [{ $year: { date: d, timezone: '+02:00' } }, 2026],
    [{ $toDate: '2026-01-02' }, at('2026-01-02T00:00:00Z')],
  ])('%j is %j', async (expression, expected) => {
    expect(await resultOf(expression)).toEqual(expected);
  });
});
