import { describe, expect, it } from 'vitest';
import { CAMPAIGN_STATUSES, nextStatus } from './campaign-state.js';
import { attachmentNamed, cellOf, exportCsv } from './results/csv-export.js';
import { afterCall } from './retry-policy.js';

describe('campaign status', () => {
  it('goes where the table says and nowhere else', () => {
    const table = CAMPAIGN_STATUSES.map((from) => [
      from,
      nextStatus(from, 'start', false),
      nextStatus(from, 'start', true),
      nextStatus(from, 'pause', false),
      nextStatus(from, 'cancel', false),
    ]);
    expect(table).toEqual([
      ['draft', 'running', 'scheduled', null, 'cancelled'],
      ['scheduled', 'running', 'running', null, 'cancelled'],
      ['running', null, null, 'paused', 'cancelled'],
      ['paused', 'running', 'running', null, 'cancelled'],
      ['completed', null, null, null, null],
      ['cancelled', null, null, null, null],
    ]);
  });
});

describe('the retry policy', () => {
  const policy = {
    max_attempts: 3,
    busy_delay_seconds: 60,
    no_answer_delay_seconds: 600,
    failed_delay_seconds: 300,
  };
  it.each([
    ['BUSY', 1, { kind: 'retry', status: 'busy', delayMs: 60_000 }],
    ['NO_ANSWER', 2, { kind: 'retry', status: 'no_answer', delayMs: 600_000 }],
    ['FAILED', 1, { kind: 'retry', status: 'failed', delayMs: 300_000 }],
    ['BUSY', 3, { kind: 'final', status: 'busy' }],
    ['NO_ANSWER', 4, { kind: 'final', status: 'no_answer' }],
    ['COMPLETED', 1, { kind: 'final', status: 'completed' }],
    ['VOICEMAIL', 1, { kind: 'final', status: 'voicemail' }],
  ] as const)('after %s at attempt %i', (status, attempts, verdict) => {
    expect(afterCall(status, attempts, policy)).toEqual(verdict);
  });
});

describe('the CSV export', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+cmd|calc', "'+cmd|calc"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['＝1', "'＝1"],
    ['  =1', "'  =1"],
    ['+14155550100', '+14155550100'],
    ['plain - text', 'plain - text'],
    [-5, -5],
    [null, ''],
    [true, 'true'],
  ])('writes %j as %j, which no spreadsheet computes', (value, cell) => {
    expect(cellOf(value)).toBe(cell);
  });

  it('has a column for every field that any call has', () => {
    const row = {
      call_id: 'c',
      contact_id: null,
      phone: '+14155550100',
      first_name: 'A "B", C',
      last_name: null,
      started_at: '2026-01-05T15:00:00.000Z',
      duration_seconds: 12.5,
      outcome: 'sold',
      outcome_score: 0.9,
      summary: 'two\nlines',
      sentiment: null,
      extracted_data: { budget: 100, outcome: '=HYPERLINK("x")' },
    };
    const [header, first] = exportCsv([row, { ...row, extracted_data: { color: 'red' } }]).split('\r\n');
    expect(header).toBe(
      '\ufeffcall_id,contact_id,phone,first_name,last_name,started_at,duration_seconds,outcome,outcome_score,sentiment,summary,budget,extracted_outcome,color',
    );
    expect(first).toBe(
      `c,,+14155550100,"A ""B"", C",,2026-01-05T15:00:00.000Z,12.5,sold,0.9,,"two\nlines",100,"'=HYPERLINK(""x"")",`,
    );
  });

  it('is named after the campaign, whatever its name', () => {
    expect(attachmentNamed('Spring')).toBe(`attachment; filename="Spring.csv"; filename*=UTF-8''Spring.csv`);
    expect(attachmentNamed('Frühling "1"/\r\nX: y')).toBe(
      `attachment; filename="Fruhling 1 X y.csv"; filename*=UTF-8''Fr%C3%BChling%201%20X%20y.csv`,
    );
    expect(attachmentNamed('春')).toContain(`filename="campaign.csv"; filename*=UTF-8''%E6%98%A5.csv`);
  });
});
