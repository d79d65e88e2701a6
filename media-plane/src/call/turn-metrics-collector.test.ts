import { beforeEach, describe, expect, it } from 'vitest';
import { TurnMetricsCollector } from './turn-metrics-collector.js';

let book: TurnMetricsCollector;
beforeEach(() => {
  book = new TurnMetricsCollector();
});

const endOfTurn = (turn: number, speechEndedAt: number) =>
  book.report({ name: 'end_of_turn', turn, speechEndedAt, decidedAt: speechEndedAt + 400, preempted: false });

describe('the latency of a turn', () => {
  it('counts from the end of the caller’s speech to the first frame', () => {
    endOfTurn(1, 1000);
    book.firstFrame(1, 1700);
    book.turnOver(1);
    expect(book.takeFinished()).toMatchObject([{ turn: 1, response_latency_ms: 700 }]);
  });

  it('is that of the answer after a tool where the call of it was not announced', () => {
    endOfTurn(1, 1000);
    book.firstToken(1, 1500);
    book.firstFrame(2, 2200);
    book.turnOver(2);
    expect(book.takeFinished()).toMatchObject([
      { turn: 2, end_of_turn_delay_ms: 400, llm_first_token_ms: 500, response_latency_ms: 1200 },
    ]);
  });

  it('is none of a turn that answers nobody', () => {
    endOfTurn(1, 1000);
    book.firstFrame(1, 1700);
    book.turnOver(1);
    book.firstFrame(2, 9000);
    book.turnOver(2);
    expect(book.takeFinished()[1]).toMatchObject({ turn: 2, response_latency_ms: null });
  });
});
