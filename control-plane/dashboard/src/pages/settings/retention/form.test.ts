import { describe, expect, it } from 'vitest';
import { erasesMore, formOf, retentionForm, settingsOf } from './form.js';

const FOR_EVER = { recordings_days: null, transcripts_days: null, calls_days: null };

describe('the form of data retention', () => {
  it('shows nothing for what is kept for ever, and reads it back', () => {
    const settings = { ...FOR_EVER, recordings_days: 30 };
    expect(formOf(settings)).toEqual({ recordings_days: '30', transcripts_days: '', calls_days: '' });
    expect(settingsOf(formOf(settings))).toEqual(settings);
  });

  it.each(['0', '3651', '1.5', '-1', 'ten'])('refuses %s days', (recordings_days) => {
    expect(retentionForm.safeParse({ ...formOf(FOR_EVER), recordings_days }).success).toBe(false);
  });

  it('asks once more where something may be erased that is kept now', () => {
    const [month, year] = [30, 365].map((calls_days) => ({ ...FOR_EVER, calls_days }));
    expect(erasesMore(FOR_EVER, year!)).toBe(true);
    expect(erasesMore(year!, month!)).toBe(true);
    expect(erasesMore(month!, year!)).toBe(false);
    expect(erasesMore(month!, FOR_EVER)).toBe(false);
  });
});
