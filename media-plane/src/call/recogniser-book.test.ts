import { describe, expect, it } from 'vitest';
import { testCallPlan } from '../testing/call-plan.js';
import { RecogniserBook } from './recogniser-book.js';

const local = { provider: 'local', model: '', params: {} };
const planOf = (model: string, language = 'en-US') =>
  testCallPlan({}, { language, voice_config: { stt: { ...local, model }, llm: local, tts: local } });
const habits = (count: number) => ({
  finalMs: { count, mean: 260, deviation: 20 },
  revised: { count, mean: 0.4, deviation: 0.4 },
});

describe('what is kept of recognisers', () => {
  it('is known to the next call with the same model and language, and to no other', () => {
    const book = new RecogniserBook();
    book.keep(planOf('nova-3'), habits(4));
    expect(book.habitsFor(planOf('nova-3'))).toEqual(habits(4));
    expect(book.habitsFor(planOf('nova-2'))).toBeUndefined();
    expect(book.habitsFor(planOf('nova-3', 'de-DE'))).toBeUndefined();
  });

  it('is not changed by a call that measured nothing, nor by speech to speech', () => {
    const book = new RecogniserBook();
    const realtime = testCallPlan({}, { pipeline_type: 'realtime', voice_config: { realtime: local } });
    book.keep(planOf('nova-3'), habits(0));
    book.keep(realtime, habits(4));
    expect(book.habitsFor(planOf('nova-3'))).toBeUndefined();
    expect(book.habitsFor(realtime)).toBeUndefined();
  });

  it('is of the last 500', () => {
    const book = new RecogniserBook();
    for (let i = 0; i <= 500; i++) book.keep(planOf(`model ${i}`), habits(1));
    expect(book.habitsFor(planOf('model 0'))).toBeUndefined();
    expect(book.habitsFor(planOf('model 1'))).toBeDefined();
  });
});
