import { describe, expect, it } from 'vitest';
import type { ComplianceCheck } from '../../api/types.js';
import { complianceSearch } from './search.js';
import { evidenceOf, reasonText } from './words.js';

const passed = { outcome: 'passed', reason: null } as const;
const CHECK: ComplianceCheck = {
  id: '0198f0c4-6d3e-7a51-9f0b-3c1d2e4f5a6b',
  decision: 'denied',
  reasons: ['do_not_call'],
  checks: {
    dnc: passed,
    calling_hours: passed,
    recording_consent: passed,
    capacity: passed,
    disclosure: passed,
  },
  to_number: '+12135550123',
  from_number: '+12125550123',
  agent_id: null,
  state: 'CA',
  timezone: 'America/Los_Angeles',
  timezones: ['America/Los_Angeles'],
  requires_two_party_consent: true,
  recording: 'off',
  next_open_at: null,
  checked_at: '2026-01-05T15:00:00.000Z',
  inputs: {
    evaluated_at: '2026-01-05T15:00:00.000Z',
    callee: { is_test: false, state: 'CA', zones: ['America/Los_Angeles'] },
    caller: { is_test: false, state: 'NY', zones: ['America/New_York'] },
    listed_by: ['tenant', 'operator'],
    calling_hours: {} as ComplianceCheck['inputs']['calling_hours'],
    agent: {
      id: '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
      disclosure: 'I am an AI.',
      language: 'en',
      recording: { enabled: true, announce: false },
    },
    live_calls: 3,
    max_concurrent_calls: 1000,
  },
};

describe('the evidence of a check', () => {
  it('says in words what it was decided from', () => {
    expect(evidenceOf(CHECK)).toEqual([
      ['Number', '+12135550123'],
      ['Where it is', 'CA · America/Los_Angeles'],
      ['The caller', '+12125550123 · NY · America/New_York'],
      ['Do-not-call lists', 'on your own list and the operator’s list'],
      ['Calls at that moment', '3 of 1000'],
      ['Disclosure', 'I am an AI.'],
      ['Consent to a recording', 'everybody must consent'],
      ['Recording', 'Not recorded'],
    ]);
  });

  it('has what there is of a number that was judged alone, and was erased since', () => {
    const inputs = {
      ...CHECK.inputs,
      callee: { is_test: true, state: null, zones: [] },
      caller: null,
      listed_by: [],
      agent: null,
    };
    const bare = { ...CHECK, to_number: null, requires_two_party_consent: null, recording: null, inputs };
    expect(evidenceOf(bare)).toEqual([
      ['Number', 'erased'],
      ['Where it is', 'a test number, which rings nobody'],
      ['Do-not-call lists', 'on none'],
      ['Calls at that moment', '3 of 1000'],
      ['Disclosure', 'no agent was named'],
    ]);
  });

  it('says reasons in words, and those that are not known as they are', () => {
    expect([reasonText('do_not_call'), reasonText('new_law')]).toEqual(['On a do-not-call list', 'new_law']);
  });
});

it('keeps filters in the address that there are', () => {
  const search = { number: '+12125550123', decision: 'denied', reason: 'do_not_call' };
  expect(complianceSearch.parse(search)).toEqual(search);
  expect(complianceSearch.parse({ number: '212', decision: 'maybe', reason: 'weather', check: 'x' })).toEqual(
    {},
  );
});
