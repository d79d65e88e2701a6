import { expect, it } from 'vitest';
import { metricsOf } from './testing/events.js';
import { storedStages, turnStages } from './turn-stages.js';

it('keeps the stages of turns that were answered, of so many of them', () => {
  const answered = {
    ...metricsOf(0, 905).metrics,
    end_of_turn_delay_ms: 400,
    tts_first_audio_ms: 900,
    preempted: true,
  };
  const unanswered = { ...answered, turn: 1, response_latency_ms: null };
  expect(turnStages(storedStages([answered, unanswered]))).toEqual([
    {
      endOfTurnMs: 400,
      finalTextMs: null,
      firstTokenMs: null,
      firstAudioMs: 900,
      responseMs: 905,
      preempted: true,
    },
  ]);
  expect(storedStages(Array.from({ length: 60 }, () => answered))).toHaveLength(50);
});
