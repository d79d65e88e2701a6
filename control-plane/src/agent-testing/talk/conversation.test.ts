import type { TranscriptTurn, TurnMetrics } from '@voice/shared/contracts/call-events';
import type { LiveEvent } from '@voice/shared/contracts/live-events';
import { describe, expect, it } from 'vitest';
import { endsCall, LIVE_EVENT_TYPES, newConversation, withEvent } from '../../../assets/talk/conversation.js';

const after = (...events: LiveEvent[]) => events.reduce(withEvent, newConversation());
const turn = (index: number, role: 'caller' | 'agent', text: string, more: Partial<TranscriptTurn> = {}) =>
  ({
    type: 'turn',
    turn: {
      index,
      role,
      text,
      heard_text: text,
      interrupted: false,
      started_at_ms: index * 1000,
      ended_at_ms: index * 1000 + 900,
      confidence: null,
      ...more,
    },
  }) satisfies LiveEvent;
const metrics = (number: number, response: number | null) => {
  const none: TurnMetrics = {
    turn: number,
    end_of_turn_delay_ms: null,
    stt_final_ms: null,
    llm_first_token_ms: null,
    tts_first_audio_ms: null,
    response_latency_ms: response,
    barge_in_latency_ms: null,
    preempted: false,
  };
  return { type: 'metrics', metrics: none } satisfies LiveEvent;
};
const said = (role: 'caller' | 'agent', text: string, at_ms: number, final = false) =>
  ({ type: 'transcript', role, text, final, at_ms }) satisfies LiveEvent;
const texts = (...events: LiveEvent[]) => after(...events).lines.map(({ role, text }) => `${role}: ${text}`);

describe('the conversation on the page', () => {
  it('shows what is being said, each interim in place of the one before', () => {
    const { lines } = after(said('caller', 'Yes', 100), said('caller', 'Yes please', 300));
    expect(lines).toMatchObject([{ role: 'caller', text: 'Yes please', final: false }]);
  });

  it("puts the record's turn in the place of what was shown so far, under the same key", () => {
    const before = after(said('caller', 'Yes pleas', 1100));
    const { lines } = withEvent(before, turn(1, 'caller', 'Yes, please.'));
    expect(lines).toMatchObject([{ text: 'Yes, please.', final: true, index: 1, key: before.lines[0]!.key }]);
  });

  it('keeps the order of the call, whatever order the events come in', () => {
    expect(texts(turn(0, 'agent', 'Hello.'), turn(2, 'agent', 'Fine.'), turn(1, 'caller', 'Hi.'))).toEqual([
      'agent: Hello.',
      'caller: Hi.',
      'agent: Fine.',
    ]);
  });

  it('shows a turn once that comes again after a reconnect, as corrected', () => {
    const corrected = turn(0, 'agent', 'Hello there.', { heard_text: 'Hello', interrupted: true });
    expect(after(turn(0, 'agent', 'Hello there.'), corrected, corrected).lines).toMatchObject([
      { text: 'Hello', unheard: ' there.' },
    ]);
  });

  it('leaves out a late interim of a turn that is closed', () => {
    expect(texts(turn(1, 'caller', 'Hi.'), said('caller', 'Hi', 1500))).toEqual(['caller: Hi.']);
  });

  it('does not take an interim that belongs to the next turn for the last one', () => {
    expect(texts(said('caller', 'And', 5000), turn(1, 'caller', 'Hi.'))).toEqual([
      'caller: Hi.',
      'caller: And',
    ]);
  });

  it("sets each answer's time beside the agent's turn, whichever of the two comes first", () => {
    const { lines, latencies } = after(
      turn(0, 'agent', 'Hello.'),
      metrics(1, null),
      metrics(2, 500),
      turn(1, 'caller', 'Hi.'),
      turn(2, 'agent', 'Fine.'),
      turn(4, 'agent', 'Bye.'),
      metrics(3, 900),
      metrics(3, 900),
    );
    const answered = lines
      .filter(({ role }) => role === 'agent')
      .map((line) => line.metrics?.response_latency_ms);
    expect(answered).toEqual([null, 500, 900]);
    expect(latencies).toEqual([500, 900]);
  });

  it('shows tools, keys and notices between the turns, each once', () => {
    const call = { type: 'tool_call', tool_call_id: 't', name: 'find_slots', at_ms: 10 } as const;
    const result = {
      type: 'tool_result',
      execution: {
        tool_call_id: 't',
        name: 'find_slots',
        arguments: {},
        result: 1,
        status: 'succeeded',
        started_at_ms: 10,
        ended_at_ms: 260,
      },
    } as const;
    const notice = { type: 'notice', code: 'x', message: 'The voice was replaced.', seq: 3 } as const;
    expect(texts(call)).toEqual(['note: Uses find_slots …']);
    expect(texts(call, result, notice, notice)).toEqual([
      'note: Used find_slots · 250 ms',
      'note: The voice was replaced.',
    ]);
  });

  it('ends with the reason, and nothing is open any more', () => {
    const over = after({ type: 'state', state: 'speaking', at_ms: 0 }, said('caller', 'Bye', 100), {
      type: 'ended',
      end_reason: 'agent_hangup',
      duration_ms: 65_000,
    });
    expect(over.activity).toBeNull();
    expect(over.ended).toEqual({ reason: 'agent_hangup', durationMs: 65_000 });
    expect(over.lines.every(({ final }) => final)).toBe(true);
  });

  it('ends by the status of a call that never had a media stream, and by no status of a live one', () => {
    const status = (name: string) =>
      ({ type: 'status', status: name, at: '2026-11-22T00:00:00Z' }) satisfies LiveEvent;
    for (const name of ['QUEUED', 'RINGING', 'IN_PROGRESS']) {
      expect(endsCall(status(name))).toBe(false);
      expect(after(status(name)).ended).toBeNull();
    }
    expect(endsCall(status('FAILED'))).toBe(true);
    expect(after(status('FAILED')).ended).toEqual({ reason: 'unknown', durationMs: 0 });
    const ended = { type: 'ended', end_reason: 'agent_hangup', duration_ms: 5000 } as const;
    expect(after(ended, status('COMPLETED')).ended).toEqual({ reason: 'agent_hangup', durationMs: 5000 });
  });

  it('keeps a bounded number of lines', () => {
    const many = Array.from({ length: 700 }, (_, n) => turn(n, 'caller', `${n}`));
    expect(after(...many).lines.length).toBe(500);
  });

  it('listens to every kind of live event', async () => {
    const { liveEvent } = await import('@voice/shared/contracts/live-events');
    const known = liveEvent.options.map((option) => option.shape.type.value);
    expect([...LIVE_EVENT_TYPES].sort()).toEqual(known.sort());
  });
});
