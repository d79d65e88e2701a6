import { describe, expect, it } from 'vitest';
import { type CallDetail, CallNarration, latencySummary } from './call-narration.js';

const turn = (index: number, role: 'agent' | 'caller', text: string, heard = text) => ({
  index,
  role,
  text,
  heard_text: heard,
  interrupted: heard !== text,
  started_at_ms: index * 2000,
  ended_at_ms: index * 2000 + 1000,
  confidence: role === 'caller' ? 1 : null,
});
const metrics = (number: number, latency: number | null) => ({
  turn: number,
  end_of_turn_delay_ms: null,
  stt_final_ms: null,
  llm_first_token_ms: null,
  tts_first_audio_ms: null,
  response_latency_ms: latency,
  barge_in_latency_ms: null,
  preempted: false,
});
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, 0) + seconds * 1000).toISOString();
const event = (type: string, seconds: number) => ({ type, at: at(seconds) });
const base: CallDetail = {
  status: 'QUEUED',
  end_reason: null,
  error_message: null,
  duration_ms: null,
  queued_at: at(0),
  started_at: null,
  transcript: [],
  metrics: { turns: [] },
  events: [event('call.queued', 0)],
};

describe('the narration of a call', () => {
  it('shows each step and each turn once, with the time since the call was requested', () => {
    const narration = new CallNarration();
    expect(narration.look(base)).toEqual([]);
    const ringing = [...base.events, event('call.ringing', 0.3), event('call.dialed', 0.4)];
    expect(narration.look({ ...base, status: 'RINGING', events: ringing })).toEqual(['00:00  · ringing']);
    const talking: CallDetail = {
      ...base,
      status: 'IN_PROGRESS',
      events: [...ringing, event('call.started', 3), event('media.started', 3)],
      transcript: [turn(0, 'agent', 'Hello.'), turn(1, 'caller', 'Hi.'), turn(2, 'agent', 'Good.')],
      metrics: { turns: [metrics(1, null), metrics(2, 812.4)] },
    };
    expect(narration.look(talking)).toEqual([
      '00:03  · answered',
      '00:03  agent   Hello.',
      '00:05  caller  Hi.',
      '00:07  agent   Good.   [812 ms after the caller]',
    ]);
    expect(narration.look(talking)).toEqual([]);
    const ended: CallDetail = {
      ...talking,
      status: 'COMPLETED',
      end_reason: 'agent_hangup',
      duration_ms: 7100,
      events: [...talking.events, event('call.completed', 10.1)],
    };
    expect(narration.look(ended)).toEqual(['00:10  · completed (agent_hangup), 7.1 s long']);
  });

  it('shows what was heard of an interrupted turn', () => {
    const lines = new CallNarration().look({
      ...base,
      status: 'IN_PROGRESS',
      transcript: [turn(0, 'agent', 'One two three.', 'One')],
    });
    expect(lines.at(-1)).toContain('(interrupted; heard: “One”)');
  });

  it('sums the latencies up, and says nothing where there are none', () => {
    expect(latencySummary(base)).toBeUndefined();
    const turns = [metrics(1, 100), metrics(2, 300), metrics(3, 200)];
    expect(latencySummary({ ...base, metrics: { turns } })).toBe('p50 200 ms, p95 300 ms over 3 answers');
  });
});
