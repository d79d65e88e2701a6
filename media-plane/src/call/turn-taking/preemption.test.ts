import { describe, expect, it } from 'vitest';
import { tool } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

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
    const call = callerAsks();
    call.callerSays('I need a table', { interimMs: 50, finalMs: 2000 });
    call.until('generate');
    expect(call.now).toBe(1000 + 1200 + 50 + 250);
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

  it('is tried three times a turn at most', () => {
    const call = callerAsks();
    call.send({ type: 'speech_started', startedAt: 1000 });
    for (const text of ['one', 'one more', 'one more thing', 'one more thing please']) {
      call.run(300).send({ type: 'transcript', text, final: false, confidence: 0.9 });
      call.send({ type: 'eager_end_of_turn', confidence: 0.5, text });
    }
    expect(call.all('generate')).toHaveLength(3);
    expect(call.all('abort')).toHaveLength(3);
  });

  it('is not tried after ten seconds of speech, nor when it is switched off', () => {
    const long = callerAsks();
    long.callerSays(Array.from({ length: 40 }, () => 'word').join(' '));
    long.until('generate');
    expect(long.all('generate')[0]?.speculative).toBe(false);
    const off = callerAsks({ settings: { preemptive_generation: false } });
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
    call.until('generate');
    expect(call.trace()).toEqual(
      [
        'generate 1 speculative "I need a table"',
        'abort 1 superseded',
        'remember caller "I need a table"',
        'generate 2 "I need a table"',
        'remember operator "Offer the terrace."',
      ].filter((line) => call.trace().includes(line)),
    );
    expect(call.history[0]).toEqual({ role: 'note', text: 'Offer the terrace.' });
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
