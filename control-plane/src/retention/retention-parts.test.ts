import { describe, expect, it } from 'vitest';
import { NO_RETENTION } from '../identity/tenants/retention-settings.js';
import { partsDue } from './retention-parts.js';

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;

describe('what is due by the settings of a tenant', () => {
  it('is nothing without any', () => {
    expect(partsDue(NO_RETENTION, NOW)).toEqual([]);
  });

  it('is each part after its own days, the whole call first', () => {
    expect(partsDue({ recordings_days: 7, transcripts_days: 30, calls_days: 90 }, NOW)).toEqual([
      { part: 'calls', before: 10 * DAY_MS },
      { part: 'transcripts', before: 70 * DAY_MS },
      { part: 'recordings', before: 93 * DAY_MS },
    ]);
  });

  it('leaves out a part that goes with its call anyway', () => {
    expect(partsDue({ recordings_days: 30, transcripts_days: 31, calls_days: 30 }, NOW)).toEqual([
      { part: 'calls', before: 70 * DAY_MS },
    ]);
  });
});
