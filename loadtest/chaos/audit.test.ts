import { describe, expect, it } from 'vitest';
import { audit, type CallEvidence, type Evidence } from './audit.js';

const call = (changes: Partial<CallEvidence> = {}): CallEvidence => ({
  id: 'c1',
  status: 'COMPLETED',
  contactId: 'k1',
  hasCost: true,
  ...changes,
});
const evidence = (changes: Partial<Evidence> = {}): Evidence => ({
  calls: [call()],
  contacts: [{ id: 'k1', attempts: 1 }],
  events: [{ eventId: 'e1', type: 'call.completed', callId: 'c1' }],
  dials: new Map([['c1', 1]]),
  usageCalls: 1,
  writes: [{ id: 'a1', acknowledged: '3', sentLater: ['4'], found: '3' }],
  ...changes,
});
const completed = (eventId: string) => ({ eventId, type: 'call.completed', callId: 'c1' });

describe('the auditor', () => {
  it('finds nothing where all promises were kept, deliveries that came twice included', () => {
    expect(audit(evidence())).toEqual([]);
    expect(audit(evidence({ events: [completed('e1'), completed('e1')] }))).toEqual([]);
  });

  it.each<[string, Partial<Evidence>, string]>([
    [
      'a call that never ended',
      { calls: [call({ status: 'IN_PROGRESS' })], usageCalls: 0 },
      'is still IN_PROGRESS',
    ],
    ['an end without an event', { events: [] }, 'was published by no event'],
    ['an end with two events', { events: [completed('e1'), completed('e2')] }, 'ended by 2 events'],
    ['an end that was published wrongly', { calls: [call({ status: 'FAILED' })] }, 'not by call.failed'],
    ['a call without cost', { calls: [call({ hasCost: false })] }, 'has no cost'],
    ['a cost that was entered twice', { usageCalls: 2 }, 'Usage counts 2 calls of 1'],
    ['a call that was dialed twice', { dials: new Map([['c1', 2]]) }, 'dialed 2 times'],
    [
      'a contact that was called twice for one attempt',
      { calls: [call(), call({ id: 'c2', status: 'BUSY' })], usageCalls: 2 },
      '2 calls for 1 attempts',
    ],
    [
      'an acknowledged write that is lost',
      { writes: [{ id: 'a1', acknowledged: '3', sentLater: ['4'], found: '2' }] },
      "acknowledged as '3' and is '2'",
    ],
    [
      'an acknowledged creation that is lost',
      { writes: [{ id: 'a1', acknowledged: '3', sentLater: [], found: null }] },
      "is 'null'",
    ],
  ])('finds %s', (_what, changes, finding) => {
    expect(audit(evidence(changes))).toEqual([expect.stringContaining(finding)]);
  });

  it('takes a write that was sent and not acknowledged as it is found', () => {
    expect(
      audit(evidence({ writes: [{ id: 'a1', acknowledged: '3', sentLater: ['4'], found: '4' }] })),
    ).toEqual([]);
  });
});
