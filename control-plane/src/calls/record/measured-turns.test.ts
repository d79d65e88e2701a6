import type { TurnMetrics } from '@voice/shared/contracts/call-events';
import { describe, expect, it } from 'vitest';
import { measuredTurns, readWaveform } from './measured-turns.js';

const turn = (change: Partial<TurnMetrics>): TurnMetrics => ({
  turn: 1,
  end_of_turn_delay_ms: 400,
  stt_final_ms: 150,
  llm_first_token_ms: 500,
  tts_first_audio_ms: 600,
  response_latency_ms: null,
  barge_in_latency_ms: null,
  preempted: false,
  audible_at_ms: null,
  silenced_at_ms: null,
  ...change,
});
const shown = (turns: readonly TurnMetrics[], json: object) =>
  measuredTurns(turns, readWaveform(JSON.stringify(json))).map((one) => [
    one.waveform_response_latency_ms,
    one.waveform_barge_in_latency_ms,
  ]);

describe("what a call's recording shows", () => {
  it('stands beside the turn that was heard then', () => {
    const turns = [
      turn({ turn: 1, response_latency_ms: 640, audible_at_ms: 3640 }),
      turn({ turn: 2, response_latency_ms: 700, audible_at_ms: 9000 }),
      turn({
        turn: 3,
        response_latency_ms: 500,
        audible_at_ms: 20_000,
        barge_in_latency_ms: 130,
        silenced_at_ms: 21_000,
      }),
    ];
    const figures = {
      responses: [
        { caller_ended_at_ms: 3000, agent_began_at_ms: 3660 },
        { caller_ended_at_ms: 8200, agent_began_at_ms: 10_050 },
      ],
      barge_ins: [{ caller_began_at_ms: 20_870, agent_ended_at_ms: 21_010 }],
    };
    expect(shown(turns, figures)).toEqual([
      [660, null],
      [1850, null],
      [null, 140],
    ]);
  });

  it('is given to one turn only, and to none that answered nobody', () => {
    const turns = [
      turn({ turn: 1, audible_at_ms: 900 }),
      turn({ turn: 2, response_latency_ms: 600, audible_at_ms: 1000 }),
      turn({ turn: 3, response_latency_ms: 600, audible_at_ms: 1100 }),
      turn({ turn: 4, response_latency_ms: 600 }),
    ];
    const responses = [{ caller_ended_at_ms: 400, agent_began_at_ms: 1010 }];
    expect(shown(turns, { responses, barge_ins: [] }).map(([response]) => response)).toEqual([
      null,
      610,
      null,
      null,
    ]);
  });

  it('is nothing where nothing was measured', () => {
    expect(readWaveform(null)).toBeNull();
    expect(readWaveform('{"version":9}')).toBeNull();
    expect(readWaveform('not JSON')).toBeNull();
    expect(measuredTurns([turn({ response_latency_ms: 1, audible_at_ms: 1 })], null)).toMatchObject([
      { waveform_response_latency_ms: null, waveform_barge_in_latency_ms: null },
    ]);
  });
});
