import { describe, expect, it } from 'vitest';
import { tool } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

/** Finals come after 900 ms and say what the last interim said. */
const RELIABLE_BUT_LATE = {
  finalMs: { count: 20, mean: 900, deviation: 10 },
  revised: { count: 20, mean: 0, deviation: 0 },
};

function callerAsks(script: ConstructorParameters<typeof ScriptedCall>[0] = {}): ScriptedCall {
  return new ScriptedCall(script).start().run(1000);
}

describe('preemptive generation', () => {
  it('begins on a final text before the turn is over, and is kept when nothing more is said', () => {
    const call = callerAsks();
    const lasts = call.callerSays('I need a table');
    call.until('generate');
    expect(call.now).toBe(1000 + lasts + 250);
    call.until('commit');
    expect(call.now).toBe(1000 + lasts + 400);
    call.untilQuiet();
    expect(call.trace()).toEqual([
      'generate 1 speculative "I need a table"',
      'remember caller "I need a table"',
      'commit 1',
      'play 1',
      'remember agent "Certainly."',
    ]);
    expect(call.all('report')).toContainEqual({
      type: 'report',
      metric: { name: 'end_of_turn', turn: 1, speechEndedAt: 2200, decidedAt: 2600, preempted: true },
    });
  });

  it('begins on an interim that has been stable for a while after the speech', () => {
    const call = callerAsks({ options: { recogniser: RELIABLE_BUT_LATE } });
    call.callerSays('I need a table', { interimMs: 50, finalMs: 900 });
    call.until('generate');
    expect(call.now).toBe(1000 + 1200 + 50 + 250);
  });

  it('waits for a final that comes at once, and for one that says something else as a rule', () => {
    for (const recogniser of [
      { ...RELIABLE_BUT_LATE, finalMs: { count: 20, mean: 320, deviation: 10 } },
      { ...RELIABLE_BUT_LATE, revised: { count: 20, mean: 0.4, deviation: 0.4 } },
      undefined,
    ]) {
      const call = callerAsks({ options: recogniser ? { recogniser } : {} });
      call.callerSays('I need a table', { interimMs: 50, finalMs: 320 });
      call.until('generate');
      expect(call.now).toBe(1000 + 1200 + 320);
    }
  });

  it('takes the interim when the final is late, whatever the recogniser usually does', () => {
    const finalMs = { count: 20, mean: 260, deviation: 20 };
    const revised = { count: 20, mean: 0.9, deviation: 0.1 };
    const call = callerAsks({ options: { recogniser: { finalMs, revised } } });
    call.callerSays('I need a table', { interimMs: 50, finalMs: 2000 });
    call.until('generate');
    expect(call.now).toBe(1000 + 1200 + 260 + 3 * 20);
  });

  it('begins as late as an answer can, when the words say that more will come', () => {
    const call = callerAsks();
    for (let turn = 0; turn < 8; turn++) {
      call.callerSays('I need a table');
      call.untilQuiet();
    }
    const from = call.now;
    const lasts = call.callerSays('I need a table and');
    call.until('generate');
    // 1,200 ms of silence end the turn; an answer has always had its first text after 200 ms.
    expect(call.now).toBeGreaterThan(from + lasts + 600);
    expect(call.now).toBeLessThanOrEqual(from + lasts + 1200 - 200);
  });

  it('learns from each final that follows the end of speech', () => {
    const call = callerAsks();
    for (let turn = 0; turn < 20; turn++) {
      call.callerSays('I need a table', { interimMs: 100, finalMs: 700 });
      call.untilQuiet();
    }
    const { finalMs, revised } = call.state.guessing.recogniser;
    expect(finalMs.mean).toBeCloseTo(700, -2);
    expect(finalMs.deviation).toBeLessThan(100);
    expect(revised.mean).toBeLessThan(0.1);
  });

  it('is kept when the final text differs in case and punctuation only', () => {
    const call = callerAsks();
    call.callerSays('i need a table', { finalMs: 60_000 });
    call.run(1200 + 600);
    call.send({ type: 'transcript', text: 'I need a table.', final: true, confidence: 0.9 });
    expect(call.trace()).toEqual([
      'generate 1 speculative "i need a table"',
      'remember caller "I need a table."',
      'commit 1',
    ]);
  });

  it('is dropped and begun anew when the final text says something else', () => {
    const call = callerAsks();
    call.callerSays('I need a cable', { finalMs: 60_000 });
    call.run(1200 + 600);
    call.send({ type: 'transcript', text: 'I need a table.', final: true, confidence: 0.9 });
    expect(call.trace()).toEqual([
      'generate 1 speculative "I need a cable"',
      'remember caller "I need a table."',
      'abort 1 text_changed',
      'generate 2 "I need a table."',
    ]);
    expect(call.all('report')[0]?.metric).toEqual({ name: 'speculation_dropped', turn: 1 });
  });

  it('is dropped when the recogniser takes the words back', () => {
    const call = callerAsks();
    call.callerSays('yes', { finalMs: 60_000 });
    call.until('generate').run(100);
    call.send({ type: 'transcript', text: '', final: true, confidence: 0 });
    call.run(9000);
    expect(call.trace()).toEqual([
      'generate 1 speculative "yes"',
      'abort 1 text_changed',
      'say 2 "Are you still there?"',
      'play 2',
    ]);
  });

  it('holds its audio until it is committed', () => {
    const call = callerAsks({ model: () => ({ sentences: ['Sure.'], firstTokenMs: 10 }), voiceMs: () => 10 });
    call.callerSays('I need a table');
    call.until('play');
    expect(call.timeOf('play')).toBe(call.timeOf('commit'));
  });

  it('follows an eager end of turn, and stops when the provider says that the caller goes on', () => {
    const call = callerAsks();
    call.send({ type: 'speech_started', startedAt: 1000 });
    call.run(800).send({ type: 'transcript', text: 'I need a table', final: false, confidence: 0.9 });
    call.send({ type: 'eager_end_of_turn', confidence: 0.5, text: 'I need a table' });
    call.run(100).send({ type: 'turn_resumed' });
    expect(call.trace()).toEqual(['generate 1 speculative "I need a table"', 'abort 1 caller_continued']);
  });

  it('is not tried again before turns have paid for one that was dropped', () => {
    const call = callerAsks();
    const eager = (text: string) => {
      call.run(300).send({ type: 'transcript', text, final: false, confidence: 0.9 });
      call.send({ type: 'eager_end_of_turn', confidence: 0.5, text });
    };
    call.send({ type: 'speech_started', startedAt: 1000 });
    for (const text of ['one', 'one more', 'one more thing']) eager(text);
    expect(call.trace()).toEqual(['generate 1 speculative "one"', 'abort 1 caller_continued']);
    call.send({ type: 'end_of_turn', source: 'flux', confidence: 0.9 });
    call.untilQuiet();
    for (const isTried of [false, false, true]) {
      call.callerSays('I need a table');
      call.untilQuiet();
      const from = call.effects.length;
      call.send({ type: 'speech_started', startedAt: call.now });
      eager('thank you');
      expect(call.trace(from).length > 0).toBe(isTried);
      call.send({ type: 'end_of_turn', source: 'flux', confidence: 0.9 });
      call.untilQuiet();
    }
  });

  it('is not tried after ten seconds of speech, nor when it is switched off', () => {
    const long = callerAsks();
    long.callerSays(Array.from({ length: 40 }, () => 'word').join(' '));
    long.until('generate');
    expect(long.all('generate')[0]?.speculative).toBe(false);
    const off = callerAsks({ settings: { preemptive_generation: 'off' } });
    off.callerSays('I need a table');
    off.until('generate');
    expect(off.all('generate')[0]?.speculative).toBe(false);
  });

  it('runs a tool that only looks, and holds one that acts until it is committed', () => {
    const look = tool('look', { sideEffects: false });
    const act = tool('act');
    const call = callerAsks({
      model: (n) =>
        n === 0 ? { sentences: [], toolCalls: [look, act], firstTokenMs: 20 } : { sentences: ['Done.'] },
      toolMs: () => 10,
    });
    call.callerSays('I need a table');
    call.until('generate', (effect) => effect.type === 'generate' && effect.turn === 2);
    expect(call.trace()).toEqual([
      'generate 1 speculative "I need a table"',
      'run_tool look of 1',
      'remember caller "I need a table"',
      'commit 1',
      'run_tool act of 1',
      'generate 2 ""',
    ]);
    expect(
      call.timeOf('run_tool', (effect) => effect.type === 'run_tool' && effect.call.name === 'act'),
    ).toBe(call.timeOf('commit'));
  });

  it('leaves no trace of what a dropped speculation looked up', () => {
    const call = callerAsks({
      model: (n) =>
        n === 0
          ? { sentences: [], toolCalls: [tool('look', { sideEffects: false })], firstTokenMs: 20 }
          : { sentences: ['Done.'] },
    });
    call.callerSays('I need a cable', { finalMs: 60_000 });
    call.run(1200 + 700);
    call.send({ type: 'transcript', text: 'I need a table.', final: true, confidence: 0.9 });
    call.untilQuiet();
    expect(call.history.map((entry) => entry.role)).toEqual(['user', 'assistant']);
  });

  it('is begun anew when an operator whispers, so that the answer knows the note', () => {
    const call = callerAsks();
    const lasts = call.callerSays('I need a table');
    call.run(lasts + 300).send({ type: 'whisper', text: 'Offer the terrace.' });
    expect(call.trace()).toEqual(['generate 1 speculative "I need a table"', 'abort 1 superseded']);
    expect(call.history[0]).toEqual({ role: 'note', text: 'Offer the terrace.' });
    call.until('commit');
    expect(call.trace().slice(2)).toEqual([
      'generate 2 speculative "I need a table"',
      'remember caller "I need a table"',
      'commit 2',
      'remember operator "Offer the terrace."',
    ]);
  });

  it('is dropped when the model fails, and generated again at the end of the turn', () => {
    const call = callerAsks({
      model: (n) =>
        n === 0 ? { sentences: [], firstTokenMs: 50, fails: { retryable: false } } : { sentences: ['Yes.'] },
    });
    call.callerSays('I need a table');
    call.untilQuiet();
    expect(call.heard).toEqual(['Yes.']);
  });
});
