import { describe, expect, it } from 'vitest';
import type { CallDetail } from '../../api/types.js';
import { detailPollMs } from './detail-polling.js';

const ENDED = Date.UTC(2026, 10, 22, 20, 1, 0);
const call = (changes: Partial<CallDetail> = {}): CallDetail =>
  ({
    status: 'COMPLETED',
    started_at: '2026-11-22T20:00:00.000Z',
    ended_at: new Date(ENDED).toISOString(),
    recording_url: 'https://example.com/a.mp3',
    analysis: {},
    cost: {},
    ...changes,
  }) as CallDetail;

describe('a call', () => {
  it('is read again while it goes on', () => {
    expect(detailPollMs(call({ status: 'IN_PROGRESS', ended_at: null }), ENDED)).toBeGreaterThan(0);
  });

  it.each(['recording_url', 'analysis', 'cost'] as const)('is read again until its %s is there', (field) => {
    expect(detailPollMs(call({ [field]: null }), ENDED + 5000)).toBeGreaterThan(0);
  });

  it('is not read again when all of it is there, when it stays away, or when nobody answered', () => {
    expect(detailPollMs(call(), ENDED)).toBe(false);
    expect(detailPollMs(call({ recording_url: null }), ENDED + 3_600_000)).toBe(false);
    expect(detailPollMs(call({ started_at: null, recording_url: null }), ENDED)).toBe(false);
  });
});
