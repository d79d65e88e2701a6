import { type CallEvent, callEvent } from '@voice/shared/contracts/call-events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentMessage, ended, mediaStarted, metricsOf } from '../testing/events.js';
import { percentile, recordOf, stagePercentiles, withTransferOutcome } from './call-record.js';
import { measuredTurns } from './measured-turns.js';

const CALL = '01a1f89d-9411-7163-83cc-0d0b3604120f';
const numbered = (...bodies: object[]): CallEvent[] =>
  bodies.map((body, i) => callEvent.parse({ call_id: CALL, seq: i + 1, at: 1000 + i, ...body }));

const toolCall = (id: string, startedAt: number, status: string) => ({
  kind: 'tool_execution',
  execution: {
    tool_call_id: id,
    name: 'end_call',
    arguments: {},
    result: null,
    status,
    started_at_ms: startedAt,
    ended_at_ms: startedAt + 1,
  },
});

const events = numbered(
  mediaStarted('CA1'),
  agentMessage(1, 'Second'),
  agentMessage(0, 'First'),
  agentMessage(1, 'Second', 'Sec'),
  metricsOf(2, 700),
  metricsOf(1, 300),
  toolCall('b', 50, 'failed'),
  toolCall('a', 10, 'failed'),
  toolCall('a', 10, 'succeeded'),
  { kind: 'dtmf', digit: '5', at_ms: 40 },
  ended('agent_hangup', 9000),
);

describe('what events add up to', () => {
  const record = recordOf(events);

  it('is the last word for each turn, in order', () => {
    expect(record.transcript.map(({ index, heard_text }) => [index, heard_text])).toEqual([
      [0, 'First'],
      [1, 'Sec'],
    ]);
    expect(record.turnMetrics.map(({ turn }) => turn)).toEqual([1, 2]);
    expect(record.toolExecutions.map((tool) => [tool.tool_call_id, tool.status])).toEqual([
      ['a', 'succeeded'],
      ['b', 'failed'],
    ]);
    expect(record.timeline.map(({ type }) => type)).toEqual(['media.started', 'dtmf', 'media.ended']);
  });

  it('is the same in whatever order they come, and however often', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.constantFrom(...events))
          .chain((repeated) =>
            fc.shuffledSubarray([...events, ...repeated], { minLength: events.length + repeated.length }),
          ),
        (shuffled) => {
          expect(recordOf(shuffled)).toEqual(record);
        },
      ),
    );
  });
});

describe('a call that was handed over', () => {
  const [first, second] = ['01a1f89d-9411-7163-83cc-0d0b36041201', '01a1f89d-9411-7163-83cc-0d0b36041202'];
  const handoff = (from: string, to: string, at_ms: number) => ({
    kind: 'agent_handoff',
    tool_call_id: 't',
    from_agent_id: from,
    agent_id: to,
    agent_name: 'B',
    reason: '',
    summary: '',
    at_ms,
  });
  const turn = (index: number, role = 'agent') => ({
    ...agentMessage(index, 'words'),
    turn: { ...(agentMessage(index, 'words') as { turn: object }).turn, role },
  });

  it('has who said what the agent said, also of a turn that was corrected later', () => {
    const { transcript } = recordOf(
      numbered(
        turn(0),
        handoff(first, second, 1000),
        turn(1),
        turn(2, 'caller'),
        handoff(second, first, 2500),
        turn(3),
        turn(0),
      ),
    );
    expect(transcript.map(({ agent_id }) => agent_id)).toEqual([first, second, undefined, first]);
  });
});

describe('the figures of the connection', () => {
  it('are as last reported; none where the line reports none', () => {
    const figures = (packets_lost: number) => ({
      packets_received: 5000,
      packets_lost,
      concealed_frames: 2,
      jitter_ms: 4,
      buffer_ms: 60,
      round_trip_ms: null,
      sent_bits_per_second: 32_000,
      received_bits_per_second: 31_000,
    });
    const reported = [20, 10].map((seq) => ({
      call_id: events[0]!.call_id,
      seq,
      at: 1,
      kind: 'line_statistics' as const,
      statistics: figures(seq),
    }));
    expect(recordOf([...reported, ...events]).line).toEqual(figures(20));
    expect(recordOf(events).line).toBeNull();
  });
});

describe('the tool by which the agent transferred the call', () => {
  const wish = {
    kind: 'transfer_requested',
    tool_call_id: 'a',
    destination: '+15005550014',
    transfer_type: 'cold',
  };
  const brokenOff = numbered(wish, toolCall('a', 10, 'cancelled'), toolCall('b', 20, 'cancelled'));
  const outcomes = (endReason: string) =>
    withTransferOutcome(recordOf(brokenOff).toolExecutions, brokenOff, endReason).map(({ status }) => status);

  it('has succeeded when the call ended as transferred, whatever the worker could know', () => {
    expect(outcomes('transferred')).toEqual(['succeeded', 'cancelled']);
  });

  it('is broken off when the caller hung up', () => {
    expect(outcomes('caller_hangup')).toEqual(['cancelled', 'cancelled']);
  });
});

describe('percentiles', () => {
  it.each([
    [[], 0.5, null],
    [[7], 0.95, 7],
    [[3, 1, 2], 0.5, 2],
    [[4, 3, 2, 1], 0.5, 2],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20], 0.95, 19],
    [[10, 9], 0.95, 10],
  ])('of %j at %d are %d', (values, share, expected) => {
    expect(percentile(values, share)).toBe(expected);
  });

  it('leave out turns in which the stage did not happen', () => {
    const { turnMetrics } = recordOf(events);
    const found = stagePercentiles(measuredTurns(turnMetrics, null), 0.5);
    expect([found.response_latency_ms, found.barge_in_latency_ms]).toEqual([300, null]);
  });
});
