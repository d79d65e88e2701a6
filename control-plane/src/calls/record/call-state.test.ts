import { CALL_STATUSES, END_REASONS } from '@voice/shared/contracts/primitives';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTerminal, NEXT_STATUSES, pathTo, statusOfEnd, TERMINAL_STATUSES } from './call-state.js';

describe('the call state machine', () => {
  it.each([
    ['QUEUED', 'RINGING', ['RINGING']],
    ['QUEUED', 'BUSY', ['BUSY']],
    ['QUEUED', 'NO_ANSWER', ['NO_ANSWER']],
    ['QUEUED', 'FAILED', ['FAILED']],
    ['QUEUED', 'IN_PROGRESS', ['RINGING', 'IN_PROGRESS']],
    ['QUEUED', 'VOICEMAIL', ['RINGING', 'VOICEMAIL']],
    ['QUEUED', 'COMPLETED', ['RINGING', 'IN_PROGRESS', 'COMPLETED']],
    ['RINGING', 'IN_PROGRESS', ['IN_PROGRESS']],
    ['RINGING', 'COMPLETED', ['IN_PROGRESS', 'COMPLETED']],
    ['RINGING', 'VOICEMAIL', ['VOICEMAIL']],
    ['IN_PROGRESS', 'COMPLETED', ['COMPLETED']],
    ['IN_PROGRESS', 'VOICEMAIL', ['VOICEMAIL']],
    ['IN_PROGRESS', 'FAILED', ['FAILED']],
    ['IN_PROGRESS', 'RINGING', null],
    ['IN_PROGRESS', 'BUSY', null],
    ['IN_PROGRESS', 'NO_ANSWER', null],
    ['RINGING', 'QUEUED', null],
    ['RINGING', 'RINGING', null],
  ] as const)('goes from %s to %s through %j', (from, to, path) => {
    expect(pathTo(from, to)).toEqual(path);
  });

  // @rule 3.6
  it('never leaves a terminal status', () => {
    for (const from of TERMINAL_STATUSES) {
      for (const to of CALL_STATUSES) expect(pathTo(from, to)).toBeNull();
    }
  });

  it('takes only allowed steps on every path', () => {
    fc.assert(
      fc.property(fc.constantFrom(...CALL_STATUSES), fc.constantFrom(...CALL_STATUSES), (from, to) => {
        let at = from;
        for (const step of pathTo(from, to) ?? []) {
          expect(NEXT_STATUSES[at]).toContain(step);
          at = step;
        }
      }),
    );
  });

  it('finds a terminal status for every end of a live call', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...END_REASONS),
        fc.constantFrom('QUEUED', 'RINGING', 'IN_PROGRESS'),
        (reason, current) => {
          const status = statusOfEnd(reason, current);
          expect(isTerminal(status)).toBe(true);
          expect(pathTo(current, status)).not.toBeNull();
        },
      ),
    );
  });

  it.each([
    ['voicemail', 'IN_PROGRESS', 'VOICEMAIL'],
    ['worker_lost', 'RINGING', 'FAILED'],
    ['busy', 'RINGING', 'BUSY'],
    ['busy', 'IN_PROGRESS', 'FAILED'],
    ['agent_hangup', 'IN_PROGRESS', 'COMPLETED'],
  ] as const)('ends %s from %s as %s', (reason, current, status) => {
    expect(statusOfEnd(reason, current)).toBe(status);
  });
});
