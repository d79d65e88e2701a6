import { describe, expect, it } from 'vitest';
import { audit, type CallEvidence, type EventEvidence, type Evidence } from './audit.js';
import { leaksIn } from './leaked-secrets.js';

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
  events: [completed('e1')],
  dials: new Map([['c1', 1]]),
  usageCalls: 1,
  writes: [{ id: 'a1', acknowledged: '3', unacknowledged: ['4'], found: '3' }],
  refusedEvents: new Set(['e1']),
  commands: [{ callId: 'c1', action: 'whisper', isAudited: true }],
  timelines: new Map([
    [
      'c1',
      [
        { id: 't1', type: 'call.ringing' },
        { id: 't2', type: 'call.completed' },
      ],
    ],
  ]),
  leaks: [],
  ...changes,
});
const completed = (eventId: string, body = 'b'): EventEvidence => ({
  eventId,
  type: 'call.completed',
  callId: 'c1',
  body,
  isSigned: true,
});

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
    ['an end without an event', { events: [], refusedEvents: new Set() }, 'was published by no event'],
    ['an end with two events', { events: [completed('e1'), completed('e2')] }, 'ended by 2 events'],
    ['an end that was published wrongly', { calls: [call({ status: 'FAILED' })] }, 'not by call.failed'],
    [
      'a busy call without an event',
      { calls: [call({ status: 'BUSY' })], events: [], refusedEvents: new Set() },
      'was published by no event, not by call.failed',
    ],
    [
      'an unanswered call without an event',
      { calls: [call({ status: 'NO_ANSWER' })], events: [], refusedEvents: new Set() },
      'was published by no event, not by call.failed',
    ],
    [
      'a voicemail published as failed',
      { calls: [call({ status: 'VOICEMAIL' })], events: [{ ...completed('e1'), type: 'call.failed' }] },
      'was published by call.failed, not by call.completed',
    ],
    ['a call without cost', { calls: [call({ hasCost: false })] }, 'has no cost'],
    ['a cost that was entered twice', { usageCalls: 2 }, 'Usage counts 2 calls of 1'],
    ['a call that was dialed twice', { dials: new Map([['c1', 2]]) }, 'dialed 2 times'],
    [
      'a contact that was called twice for one attempt',
      {
        calls: [call(), call({ id: 'c2', status: 'BUSY' })],
        events: [completed('e1'), { ...completed('e2'), type: 'call.failed', callId: 'c2' }],
        usageCalls: 2,
      },
      '2 calls for 1 attempts',
    ],
    [
      'an acknowledged write that is lost',
      { writes: [{ id: 'a1', acknowledged: '3', unacknowledged: ['4'], found: '2' }] },
      "acknowledged as '3' and is '2'",
    ],
    [
      'an event that came with another body',
      { events: [completed('e1'), completed('e1', 'other')] },
      '2 different bodies',
    ],
    ['an event without a signature', { events: [{ ...completed('e1'), isSigned: false }] }, 'is not signed'],
    ['an event that was not sent again', { refusedEvents: new Set(['e9']) }, 'did not come again'],
    [
      'a command without an audit row',
      { commands: [{ callId: 'c1', action: 'hangup', isAudited: false }] },
      'no audit row of an acknowledged hangup',
    ],
    [
      'an event that is twice in a timeline',
      {
        timelines: new Map([
          [
            'c1',
            [
              { id: 't1', type: 'x' },
              { id: 't1', type: 'x' },
              { id: 't2', type: 'call.completed' },
            ],
          ],
        ]),
      },
      '1 events of its timeline twice',
    ],
    [
      'a call that ended twice',
      {
        timelines: new Map([
          [
            'c1',
            [
              { id: 't1', type: 'call.failed' },
              { id: 't2', type: 'call.completed' },
            ],
          ],
        ]),
      },
      'ends 2 times',
    ],
    [
      'a call whose timeline has no end',
      { timelines: new Map([['c1', [{ id: 't1', type: 'call.ringing' }]]]) },
      'has no end in its timeline',
    ],
    ['a call whose timeline is empty', { timelines: new Map([['c1', []]]) }, 'has no end in its timeline'],
    [
      'a secret in a log',
      { leaks: [{ where: 'the log', which: 'the key' }] },
      'the log holds a secret: the key',
    ],
    [
      'an acknowledged creation that is lost',
      { writes: [{ id: 'a1', acknowledged: '3', unacknowledged: [], found: null }] },
      "is 'null'",
    ],
  ])('finds %s', (_what, changes, finding) => {
    expect(audit(evidence(changes))).toEqual([expect.stringContaining(finding)]);
  });

  it('lets a call end once more that was corrected', () => {
    const types = ['call.failed', 'call.corrected', 'call.completed'];
    const timelines = new Map([['c1', types.map((type) => ({ id: type, type }))]]);
    expect(audit(evidence({ timelines }))).toEqual([]);
  });

  it.each([
    ['BUSY', 'call.busy'],
    ['NO_ANSWER', 'call.no_answer'],
    ['VOICEMAIL', 'call.voicemail'],
    ['FAILED', 'call.failed'],
  ])('knows the end of a call that is %s by its %s', (status, type) => {
    const published = status === 'VOICEMAIL' ? 'call.completed' : 'call.failed';
    const timelines = new Map([['c1', [{ id: 't1', type }]]]);
    const events = [{ ...completed('e1'), type: published }];
    expect(audit(evidence({ calls: [call({ status })], events, timelines }))).toEqual([]);
  });

  it('needs no end in the timeline of a call that is live', () => {
    const live = { calls: [call({ status: 'IN_PROGRESS' })], usageCalls: 0 };
    const timelines = new Map([['c1', [{ id: 't1', type: 'call.started' }]]]);
    expect(audit(evidence({ ...live, timelines }))).toEqual(['Call c1 is still IN_PROGRESS.']);
  });

  it('takes a write that was sent and not acknowledged as it is found', () => {
    expect(
      audit(evidence({ writes: [{ id: 'a1', acknowledged: '3', unacknowledged: ['4'], found: '4' }] })),
    ).toEqual([]);
  });
});

describe('the search for secrets', () => {
  it('names where a secret is, and never the secret', () => {
    const secrets = [
      { name: 'the key', value: 'k-123' },
      { name: 'nothing', value: '' },
    ];
    expect(leaksIn('the log', ['a', 'authorization: k-123'], secrets)).toEqual([
      { where: 'the log', which: 'the key' },
    ]);
    expect(leaksIn('the log', ['a'], secrets)).toEqual([]);
  });
});
