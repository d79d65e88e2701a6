import { describe, expect, it } from 'vitest';
import type { CallDocument } from '../record/model.js';
import { endWithoutLastWord } from '../recovery/reconciliation.js';
import { timeOfCallback } from './callback-handler.js';

describe('the time of a carrier callback', () => {
  it.each([
    ['the carrier does not say', null, 10_000, 10_000],
    ['it is fresh, its time cut to the second', 9000, 10_000, 10_000],
    ['the carrier is ahead of us', 12_000, 10_000, 10_000],
    ['it was long on its way', 4000, 10_000, 4000],
  ])('%s', (_, reportedAt, now, at) => {
    expect(timeOfCallback(reportedAt, now)).toBe(at);
  });
});

describe('the end of a call that only the carrier reports', () => {
  const call = (started: number | null, media: number | null) =>
    ({
      carrier_ended_at: new Date(100_000),
      started_at: started === null ? null : new Date(started),
      media_started_at: media === null ? null : new Date(media),
    }) as CallDocument;

  it.each([
    ['after a conversation', call(10_000, 10_000), 'caller_hangup', undefined],
    ['at once after the answer', call(98_000, null), 'caller_hangup', undefined],
    ['whose answer was not heard of', call(null, null), 'caller_hangup', undefined],
    ['that waited for an agent in vain', call(60_000, null), 'carrier_failed', 'media_stream_missing'],
  ])('%s', (_, document, endReason, errorCode) => {
    const end = endWithoutLastWord(document);
    expect([end.endReason, end.errorCode]).toEqual([endReason, errorCode]);
  });
});
