import { describe, expect, it } from 'vitest';
import { callingHours } from '../agents/calling-hours.js';
import { decide, type GateAgent, type GateInputs } from './decide.js';

/** A Monday, 12:00 in New York. */
const NOON_IN_NEW_YORK = Date.UTC(2026, 0, 5, 17);
const NEW_YORK = { isTest: false, state: 'NY', zones: ['America/New_York'] };
const CALIFORNIA = { isTest: false, state: 'CA', zones: ['America/Los_Angeles'] };
const TEST_NUMBER = { isTest: true, state: null, zones: [] };

const agent: GateAgent = {
  id: '0198f0c6-0001-7000-8000-00000000a9e7',
  disclosure: 'You are speaking with an AI assistant.',
  language: 'en-US',
  callingHours: callingHours.parse({}),
  recording: { enabled: true, announce: false },
};

const fine: GateInputs = {
  now: NOON_IN_NEW_YORK,
  callee: NEW_YORK,
  caller: null,
  listedBy: [],
  callingHours: agent.callingHours,
  agent,
  liveCalls: 0,
  maxConcurrentCalls: 2,
};
const at = (hour: number) => Date.UTC(2026, 0, 5, hour + 5);

describe('the compliance gate', () => {
  it('reports of each check how it came out: passed, failed with its reason, or not evaluated', () => {
    expect(decide(fine).checks).toEqual(
      Object.fromEntries(
        ['dnc', 'calling_hours', 'recording_consent', 'capacity', 'disclosure'].map((name) => [
          name,
          { outcome: 'passed', reason: null },
        ]),
      ),
    );
    const all = decide({ ...fine, listedBy: ['tenant'], now: at(3), liveCalls: 2, agent: null });
    const notEvaluated = { outcome: 'not_evaluated', reason: null };
    expect(all.checks).toEqual({
      dnc: { outcome: 'failed', reason: 'do_not_call' },
      calling_hours: { outcome: 'failed', reason: 'outside_calling_hours' },
      recording_consent: notEvaluated,
      capacity: { outcome: 'failed', reason: 'concurrent_calls_limit' },
      disclosure: notEvaluated,
    });
  });

  it.each<[string, Partial<GateInputs>, string[]]>([
    ['all is well', {}, []],
    ['the number is on the list of the tenant', { listedBy: ['tenant'] }, ['do_not_call']],
    ['the number is on the list of the operator', { listedBy: ['operator'] }, ['do_not_call']],
    ['it is 7:59 where the callee is', { now: at(8) - 1 }, ['outside_calling_hours']],
    ['it is 8:00 there', { now: at(8) }, []],
    ['it is 20:59 there', { now: at(21) - 1 }, []],
    ['it is 21:00 there', { now: at(21) }, ['outside_calling_hours']],
    ['the callee is in California, where it is 9:00', { callee: CALIFORNIA }, []],
    [
      'nothing is known of where the callee is',
      { callee: { isTest: false, state: null, zones: [] } },
      ['region_unknown'],
    ],
    [
      'the agent calls on no day',
      {
        callingHours: callingHours.parse({
          monday: null,
          tuesday: null,
          wednesday: null,
          thursday: null,
          friday: null,
          saturday: null,
          sunday: null,
        }),
      },
      ['no_calling_hours'],
    ],
    ['nobody real is called, at night', { callee: TEST_NUMBER, now: at(3) }, []],
    [
      'nobody real is called, by an agent that is closed all week',
      {
        callee: TEST_NUMBER,
        callingHours: callingHours.parse({
          monday: null,
          tuesday: null,
          wednesday: null,
          thursday: null,
          friday: null,
          saturday: null,
          sunday: null,
        }),
      },
      ['no_calling_hours'],
    ],
    [
      'nobody real is called, at night in the zone that the agent names',
      {
        callee: TEST_NUMBER,
        now: at(3),
        callingHours: callingHours.parse({ timezone: 'America/New_York' }),
      },
      ['outside_calling_hours'],
    ],
    [
      'the agent says nothing of being an AI',
      { agent: { ...agent, disclosure: null } },
      ['disclosure_missing'],
    ],
    ['the disclosure is blank', { agent: { ...agent, disclosure: '  ' } }, ['disclosure_missing']],
    [
      'the disclosure discloses nothing',
      { agent: { ...agent, disclosure: 'Hi, Ann here!' } },
      ['disclosure_names_no_ai'],
    ],
    [
      'the disclosure is German',
      { agent: { ...agent, language: 'de-DE', disclosure: 'Hier spricht eine künstliche Intelligenz.' } },
      [],
    ],
    ['the disclosure is Japanese', { agent: { ...agent, language: 'ja', disclosure: 'AIです。' } }, []],
    ['one place is left', { liveCalls: 1 }, []],
    ['the last place is taken', { liveCalls: 2 }, ['concurrent_calls_limit']],
    [
      'everything is wrong',
      { listedBy: ['tenant', 'operator'], now: at(3), liveCalls: 9, agent: { ...agent, disclosure: '' } },
      ['do_not_call', 'outside_calling_hours', 'concurrent_calls_limit', 'disclosure_missing'],
    ],
    ['only a number is asked about', { agent: null }, []],
  ])('when %s', (_, changes, reasons) => {
    const made = decide({ ...fine, ...changes });
    expect(made.reasons).toEqual(reasons);
    expect(made.decision).toBe(reasons.length === 0 ? 'allowed' : 'denied');
  });

  it('says of what it could not look at that it did not', () => {
    const { checks, recording } = decide({ ...fine, agent: null });
    expect(checks.disclosure.outcome).toBe('not_evaluated');
    expect(checks.recording_consent.outcome).toBe('not_evaluated');
    expect(checks.dnc.outcome).toBe('passed');
    expect(checks.calling_hours.outcome).toBe('passed');
    expect(recording).toBeNull();
  });

  it('says when the hours open next', () => {
    expect(decide({ ...fine, now: at(21) }).nextOpenAt).toBe(at(8 + 24));
    expect(decide({ ...fine, now: at(3) }).nextOpenAt).toBe(at(8));
    expect(decide(fine).nextOpenAt).toBeNull();
  });
});

describe('consent to the recording', () => {
  const TEXAS = { isTest: false, state: 'TX', zones: ['America/Chicago'] };
  const ABROAD = { isTest: false, state: null, zones: ['Europe/Berlin'] };

  it.each([
    ['New York', NEW_YORK, null, false],
    ['California', CALIFORNIA, null, true],
    ['New York, called from Texas', NEW_YORK, TEXAS, false],
    ['New York, called from California', NEW_YORK, CALIFORNIA, true],
    ['New York, called from a number without a known place', NEW_YORK, ABROAD, false],
    ['a state that is not known', { ...NEW_YORK, state: null }, null, true],
    ['abroad', ABROAD, null, true],
    ['a carrier test number', TEST_NUMBER, null, false],
  ])('of a callee in %s', (_, callee, caller, required) => {
    const made = decide({ ...fine, callee, caller });
    expect(made.requiresTwoPartyConsent).toBe(required);
  });

  it.each([
    [{ enabled: true, announce: false }, NEW_YORK, 'unannounced'],
    [{ enabled: true, announce: true }, NEW_YORK, 'announced'],
    [{ enabled: true, announce: true }, CALIFORNIA, 'announced'],
    [{ enabled: true, announce: false }, CALIFORNIA, 'off'],
    [{ enabled: false, announce: true }, CALIFORNIA, 'off'],
    [{ enabled: false, announce: false }, NEW_YORK, 'off'],
  ])('with an agent set to %j is asked or made needless', (recording, callee, directive) => {
    const made = decide({ ...fine, callee, agent: { ...agent, recording } });
    expect(made.recording).toBe(directive);
    expect(made.checks.recording_consent.outcome).toBe('passed');
    expect(made.decision).toBe('allowed');
  });
});
