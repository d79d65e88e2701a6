import { describe, expect, it } from 'vitest';
import type { TranscriptTurn, TurnMetrics } from '../../api/types.js';
import { latenciesByTurn, waits } from './turn-latency.js';

const NOTHING: TurnMetrics = {
  turn: 1,
  end_of_turn_delay_ms: null,
  stt_final_ms: null,
  llm_first_token_ms: null,
  tts_first_audio_ms: null,
  response_latency_ms: null,
  barge_in_latency_ms: null,
  preempted: false,
  waveform_response_latency_ms: null,
  waveform_barge_in_latency_ms: null,
};
const shown = (metrics: Partial<TurnMetrics>) =>
  waits({ ...NOTHING, ...metrics }).map(({ stage, ms }) => [stage, ms]);

describe('what a caller waited for', () => {
  it('is charged to each stage from where the one before left off', () => {
    expect(
      shown({
        end_of_turn_delay_ms: 400,
        stt_final_ms: 450,
        llm_first_token_ms: 800,
        tts_first_audio_ms: 950,
        response_latency_ms: 970,
      }),
    ).toEqual([
      ['endpointing', 400],
      ['stt', 50],
      ['llm', 350],
      ['tts', 150],
      ['line', 20],
    ]);
  });

  it('charges nothing to a stage that was ready before it was needed', () => {
    expect(
      shown({
        stt_final_ms: 170,
        llm_first_token_ms: 300,
        end_of_turn_delay_ms: 400,
        tts_first_audio_ms: 640,
        response_latency_ms: 652,
      }),
    ).toEqual([
      ['endpointing', 400],
      ['tts', 240],
      ['line', 12],
    ]);
  });

  it('adds up to the response latency', () => {
    const total = shown({ end_of_turn_delay_ms: 300, llm_first_token_ms: 700, response_latency_ms: 911 });
    expect(total.reduce((sum, [, ms]) => sum + Number(ms), 0)).toBe(911);
  });

  it('is nothing where nothing was measured', () => expect(shown({})).toEqual([]));
});

describe('whose metrics they are', () => {
  const turn = (index: number, role: 'caller' | 'agent', started_at_ms: number): TranscriptTurn => ({
    index,
    role,
    text: '',
    heard_text: '',
    interrupted: false,
    started_at_ms,
    ended_at_ms: started_at_ms + 1000,
    confidence: null,
  });
  const transcript = [turn(0, 'agent', 0), turn(1, 'caller', 2000), turn(2, 'agent', 4000)];

  it('is the agent turn that began to sound when they say', () => {
    const answer = { ...NOTHING, audible_at_ms: 4020 };
    expect([...latenciesByTurn(transcript, [answer])]).toEqual([[2, answer]]);
  });

  it('is nobody where no turn began then, or nothing sounded', () => {
    const silent = { ...NOTHING, audible_at_ms: null };
    expect([...latenciesByTurn(transcript, [silent, { ...NOTHING, audible_at_ms: 9000 }])]).toEqual([]);
  });
});
