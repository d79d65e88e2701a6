import { describe, expect, it } from 'vitest';
import { tool } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

const plain = { preemptive_generation: 'off' as const };

describe('history and transcript', () => {
  it('hold the caller’s turn before the agent’s answer, in order of remembering', () => {
    const call = new ScriptedCall({ options: { firstMessage: 'Hello.' } }).start().untilQuiet();
    call.callerSays('I need a table', { confidence: 0.8 });
    call.untilQuiet();
    expect(call.history).toEqual([
      { role: 'assistant', text: 'Hello.', toolCalls: [] },
      { role: 'user', text: 'I need a table' },
      { role: 'assistant', text: 'Certainly.', toolCalls: [] },
    ]);
    expect(call.transcript.map(({ index, role, confidence }) => [index, role, confidence])).toEqual([
      [0, 'agent', null],
      [1, 'caller', 0.8],
      [2, 'agent', null],
    ]);
  });

  it('keep nothing of an answer that was never heard', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('I need a table');
    call.until('generate').run(50);
    call.send({ type: 'carrier_stopped' });
    expect(call.transcript.map(({ role }) => role)).toEqual(['caller']);
    expect(call.ended?.reason).toBe('caller_hangup');
  });

  it('hold an operator’s note before the next answer; the caller hears nothing of it', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.send({ type: 'whisper', text: 'Offer the terrace.' });
    expect(call.history).toEqual([{ role: 'note', text: 'Offer the terrace.' }]);
    expect(call.transcript).toMatchObject([{ role: 'operator', text: 'Offer the terrace.', heard_text: '' }]);
    expect(call.all('generate')).toEqual([]);
  });
});

describe('an operator’s note in the transcript', () => {
  const inOrder = (call: ScriptedCall) =>
    [...call.transcript].sort((a, b) => a.index - b.index).map(({ role }) => role);

  it('stands behind the agent’s turn in the middle of which it was given', () => {
    const call = new ScriptedCall({ options: { firstMessage: 'Good morning, this is Ann.' } }).start();
    call.until('play').run(100);
    call.send({ type: 'whisper', text: 'Offer the terrace.' });
    call.untilQuiet();
    expect(inOrder(call)).toEqual(['agent', 'operator']);
    call.callerSays('I need a table');
    call.untilQuiet();
    expect(inOrder(call)).toEqual(['agent', 'operator', 'caller', 'agent']);
  });

  it('stands behind what the caller was saying when it was given, and before the answer', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.send({ type: 'speech_started', startedAt: call.now });
    call.run(300).send({ type: 'whisper', text: 'Offer the terrace.' });
    call.run(300).send({ type: 'transcript', text: 'I need a table', final: true, confidence: 0.9 });
    call.send({ type: 'speech_stopped', stoppedAt: call.now });
    call.untilQuiet();
    expect(inOrder(call)).toEqual(['caller', 'operator', 'agent']);
    const started = [...call.transcript].sort((a, b) => a.index - b.index).map((turn) => turn.started_at_ms);
    expect(started).toEqual([...started].sort((a, b) => a - b));
  });

  it('stands before what the caller says after it, though noise was heard when it was given', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.send({ type: 'speech_started', startedAt: call.now });
    call.run(100).send({ type: 'whisper', text: 'Offer the terrace.' });
    call.run(100).send({ type: 'speech_stopped', stoppedAt: call.now });
    call.run(5000);
    call.callerSays('I need a table');
    call.untilQuiet();
    expect(inOrder(call).slice(-3)).toEqual(['operator', 'caller', 'agent']);
  });

  it('does not keep the caller’s late text out of the turn that it belongs to', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('I need a table');
    call.until('generate').run(50);
    call.send({ type: 'whisper', text: 'Offer the terrace.' });
    call.send({ type: 'transcript', text: 'for four', final: true, confidence: 0.9 });
    call.untilQuiet();
    expect(inOrder(call)).toEqual(['caller', 'operator', 'agent']);
    expect(call.transcript.find(({ role }) => role === 'caller')?.text).toBe('I need a table for four');
  });
});

describe('late text of the caller', () => {
  it('merges into the turn and restarts the answer that is being prepared', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('I need a table');
    call.until('generate').run(100);
    call.send({ type: 'transcript', text: 'for four', final: true, confidence: 0.9 });
    call.untilQuiet();
    expect(call.trace()).toEqual([
      'remember caller "I need a table"',
      'generate 1 "I need a table"',
      'abort 1 caller_continued',
      'remember caller "I need a table for four"',
      'generate 2 "I need a table for four"',
      'play 2',
      'remember agent "Certainly."',
    ]);
    expect(call.transcript.map(({ index, text }) => [index, text])).toEqual([
      [0, 'I need a table for four'],
      [1, 'Certainly.'],
    ]);
    expect(call.history.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('is a turn of its own once a tool has answered to the turn before', () => {
    const look = tool('look');
    const call = new ScriptedCall({
      settings: { ...plain, fillers: [] },
      model: (n) =>
        n === 0 ? { sentences: [], toolCalls: [look] } : { sentences: ['There is one.'], firstTokenMs: 1000 },
    }).start();
    call.run(1000);
    call.callerSays('I need a table');
    call.until('generate').until('generate').run(500);
    call.send({ type: 'transcript', text: 'for four', final: true, confidence: 0.9 });
    call.untilQuiet();
    expect(call.history.map((entry) => (entry.role === 'user' ? entry.text : entry.role))).toEqual([
      'I need a table',
      'assistant',
      'tool',
      'for four',
      'assistant',
    ]);
    expect(call.all('run_tool')).toHaveLength(1);
  });

  it("is not doubled when a turn's final comes after it was ended on its interim", () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('I need a table', { finalMs: 60_000 });
    call.until('generate').run(20);
    call.send({ type: 'transcript', text: 'I need a table.', final: true, confidence: 0.9 });
    call.run(5);
    expect(call.all('abort')).toEqual([]);
    expect(call.history).toEqual([{ role: 'user', text: 'I need a table.' }]);
  });

  it('replaces the interim that the turn had ended on', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('I need a cable', { finalMs: 60_000 });
    call.until('generate').run(20);
    call.send({ type: 'transcript', text: 'I need a table.', final: true, confidence: 0.9 });
    call.run(5);
    expect(call.trace().slice(-3)).toEqual([
      'abort 1 caller_continued',
      'remember caller "I need a table."',
      'generate 2 "I need a table."',
    ]);
  });

  it('only corrects the record when the agent is already heard', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('I need a cable', { finalMs: 60_000 });
    call.until('play').run(50);
    call.send({ type: 'transcript', text: 'I need a table.', final: true, confidence: 0.9 });
    call.untilQuiet();
    expect(call.all('clear')).toEqual([]);
    expect(call.transcript[0]).toMatchObject({ role: 'caller', text: 'I need a table.' });
    expect(call.history[0]).toEqual({ role: 'user', text: 'I need a table.' });
  });

  it('starts the next turn while the agent speaks', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('I need a table');
    call.until('play').run(310);
    call.send({ type: 'transcript', text: 'for four people please', final: true, confidence: 0.9 });
    call.untilQuiet();
    expect(call.transcript.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'caller: I need a table',
      'agent: Certainly.',
      'caller: for four people please',
      'agent: Certainly.',
    ]);
  });

  it('is a turn of its own when the same words are said again later', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('yes', { finalMs: 600_000 });
    call.until('play').untilQuiet();
    call.callerSays('yes please');
    call.untilQuiet();
    expect(call.transcript.map(({ text }) => text)).toEqual([
      'yes',
      'Certainly.',
      'yes please',
      'Certainly.',
    ]);
  });
});

describe('pressed keys', () => {
  it('are the caller’s input after a pause', () => {
    const call = new ScriptedCall({ options: { firstMessage: 'Your number?' } }).start().untilQuiet();
    const from = call.now;
    for (const [position, digit] of [...'123'].entries())
      call.send({ type: 'dtmf', digit }, 1 + position * 500);
    call.until('generate');
    expect(call.now).toBe(from + 1 + 1000 + 1500);
    expect(call.history.at(-1)).toEqual({ role: 'note', text: 'The caller pressed these keys: 123' });
    expect(call.transcript.at(-1)).toMatchObject({ role: 'caller', text: '[keys 123]', confidence: null });
  });

  it('are complete with the hash key, and interrupt the agent', () => {
    const call = new ScriptedCall({ options: { firstMessage: 'Please type your number now.' } }).start();
    call.until('play').run(700);
    call.send({ type: 'dtmf', digit: '7' }).send({ type: 'dtmf', digit: '#' }, 200);
    call.until('generate');
    expect(call.now).toBe(100 + 700 + 200);
    expect(call.heard).toEqual(['Please type']);
  });
});
