import { describe, expect, it } from 'vitest';
import { agentPhase } from './agent-phase.js';
import { type Answer, type ScriptedCallOptions, tool } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

const plain = { preemptive_generation: 'off' as const, fillers: [] };

function callerAsks(answers: readonly Answer[], script: ScriptedCallOptions = {}): ScriptedCall {
  const call = new ScriptedCall({
    settings: plain,
    model: (n) => answers[Math.min(n, answers.length - 1)] as Answer,
    ...script,
  });
  call.start().run(1000);
  call.callerSays('Is there a table free');
  return call;
}

describe('tools', () => {
  it('run while the agent speaks; the follow-up comes when both are done', () => {
    const call = callerAsks([
      { sentences: ['Let me look.'], toolCalls: [tool('look')] },
      { sentences: ['There is one.'] },
    ]);
    call.until('run_tool');
    expect(agentPhase(call.state)).toBe('acting');
    call.untilQuiet();
    expect(call.trace()).toEqual([
      'remember caller "Is there a table free"',
      'generate 1 "Is there a table free"',
      'run_tool look of 1',
      'play 1',
      'remember agent "Let me look."',
      'generate 2 ""',
      'play 2',
      'remember agent "There is one."',
    ]);
    expect(call.history.slice(1)).toEqual([
      { role: 'assistant', text: 'Let me look.', toolCalls: [] },
      { role: 'assistant', text: '', toolCalls: [tool('look')] },
      { role: 'tool', toolCallId: 'call_look', text: 'done' },
      { role: 'assistant', text: 'There is one.', toolCalls: [] },
    ]);
  });

  it('are waited for all together', () => {
    const call = callerAsks(
      [{ sentences: [], toolCalls: [tool('a'), tool('b')] }, { sentences: ['Both done.'] }],
      { toolMs: (n) => (n === 0 ? 2000 : 100) },
    );
    call.until('generate').until('generate');
    expect(call.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
    expect(call.now - call.timeOf('run_tool')).toBe(2000);
  });

  it('that nobody knows give the model an error, not the call', () => {
    const call = callerAsks([
      { sentences: [], toolCalls: [tool('teleport', { kind: 'unknown', sideEffects: false })] },
      { sentences: ['I cannot do that.'] },
    ]);
    call.untilQuiet();
    expect(call.all('run_tool')).toEqual([]);
    expect(call.history).toContainEqual({
      role: 'tool',
      toolCallId: 'call_teleport',
      text: '{"error":"There is no tool named teleport."}',
    });
    expect(call.heard).toEqual(['I cannot do that.']);
  });

  it('go on when the caller interrupts, who is answered at once; their result enters when it comes', () => {
    const call = callerAsks(
      [
        { sentences: ['Let me look that up in our big book.'], toolCalls: [tool('look')] },
        { sentences: ['For four, then.'] },
        { sentences: ['There is one.'] },
      ],
      { toolMs: () => 8000 },
    );
    call.until('play').run(700);
    const lasts = call.callerSays('make it for four people');
    const said = call.now + lasts;
    call.until(
      'generate',
      ({ type, ...effect }) => type === 'generate' && 'turn' in effect && effect.turn === 2,
    );
    expect(call.now - said).toBeLessThan(1000);
    call.untilQuiet();
    expect(call.heard).toEqual(['Let me', 'For four, then.', 'There is one.']);
    expect(call.history).toMatchObject([
      { role: 'user' },
      { role: 'assistant', text: 'Let me' },
      { role: 'assistant', toolCalls: [{ id: 'call_look' }] },
      { role: 'tool', toolCallId: 'call_look', text: expect.stringContaining('still being done') },
      { role: 'user', text: 'make it for four people' },
      { role: 'assistant', text: 'For four, then.' },
      { role: 'note', text: 'The tool look has finished. Its result: done' },
      { role: 'assistant', text: 'There is one.' },
    ]);
    expect(call.all('generate')).toHaveLength(3);
    expect(call.all('run_tool')).toHaveLength(1);
  });

  it('do not keep a caller waiting who speaks into the silence while one runs', () => {
    const call = callerAsks(
      [
        { sentences: [], toolCalls: [tool('look'), tool('book')] },
        { sentences: ['I am still at it.'] },
        { sentences: ['Both are done.'] },
      ],
      { toolMs: (n) => (n === 0 ? 100 : 30_000) },
    );
    call.until('run_tool').run(2000);
    call.callerSays('wait please stop');
    call.untilQuiet();
    expect(call.heard[0]).toBe('I am still at it.');
    expect(call.timeOf('play') - call.timeOf('run_tool')).toBeLessThan(6000);
    const results = call.history.filter((entry) => entry.role === 'tool').map(({ text }) => text);
    expect(results).toEqual(['done', expect.stringContaining('still being done')]);
    call.run(30_000);
    expect(call.heard).toContain('Both are done.');
    expect(call.history.filter(({ role }) => role === 'note')).toHaveLength(1);
  });

  it('are given up when the caller speaks, where their definition says so', () => {
    const call = callerAsks(
      [
        { sentences: [], toolCalls: [tool('search', { endsWithCallerSpeech: true })] },
        { sentences: ['Then not.'] },
      ],
      { toolMs: () => 8000 },
    );
    call.until('run_tool').run(1000);
    call.callerSays('never mind please');
    call.untilQuiet();
    expect(call.all('cancel_tool')).toMatchObject([{ turn: 1, call: { name: 'search' } }]);
    expect(call.history.find((entry) => entry.role === 'tool')?.text).toContain('given up');
    expect(call.history.some(({ role }) => role === 'note')).toBe(false);
    expect(call.heard).toEqual(['Then not.']);
  });

  it('end the agent’s part by a transfer that succeeds after the caller spoke', () => {
    const call = callerAsks(
      [
        { sentences: [], toolCalls: [tool('transfer', { kind: 'transfer_call' })] },
        { sentences: ['It is ringing.'] },
      ],
      { toolMs: () => 9000 },
    );
    call.until('run_tool').run(500);
    call.callerSays('how long will it take');
    call.until('hang_up');
    expect(call.heard).toEqual(['It is ringing.']);
    expect(call.ended?.reason).toBe('transferred');
  });

  it('that come one after the other without an end lead to an apology', () => {
    const call = callerAsks([{ sentences: [], toolCalls: [tool('look')] }], {
      model: (n) => ({ sentences: [], toolCalls: [tool('look', { id: `call_${n}` })] }),
    });
    call.untilQuiet();
    expect(call.all('run_tool')).toHaveLength(9);
    expect(call.heard).toEqual(['I am sorry, I did not get that. Could you say it again, please?']);
  });

  it('transfer the caller only after what the agent said was heard', () => {
    const call = callerAsks([
      { sentences: ['I will put you through.'], toolCalls: [tool('transfer', { kind: 'transfer_call' })] },
    ]);
    call.until('hang_up');
    expect(call.trace().slice(-4)).toEqual([
      'play 1',
      'remember agent "I will put you through."',
      'run_tool transfer of 1',
      'hang_up transferred',
    ]);
  });

  it('do not transfer a caller who objects', () => {
    const call = callerAsks([
      {
        sentences: ['I will put you through to my colleague.'],
        toolCalls: [tool('transfer', { kind: 'transfer_call' })],
      },
      { sentences: ['Then I stay.'] },
    ]);
    call.until('play').run(700);
    call.callerSays('no wait please');
    call.untilQuiet();
    expect(call.all('run_tool')).toEqual([]);
    expect(call.history.find((entry) => entry.role === 'tool')?.text).toContain('interrupted');
    expect(call.heard.at(-1)).toBe('Then I stay.');
  });

  it('press keys only after what the agent said was heard, and nothing is said over them', () => {
    const call = callerAsks(
      [
        { sentences: ['I will press one.'], toolCalls: [tool('keys', { kind: 'send_dtmf' })] },
        { sentences: ['That was it.'] },
      ],
      { toolMs: () => 4000, settings: { preemptive_generation: 'off', fillers: ['One moment.'] } },
    );
    call.untilQuiet();
    expect(call.heard).toEqual(['I will press one.', 'That was it.']);
    expect(call.trace().slice(2)).toEqual([
      'play 1',
      'remember agent "I will press one."',
      'run_tool keys of 1',
      'generate 2 ""',
      'play 2',
      'remember agent "That was it."',
    ]);
  });

  it('press no keys for a caller who objects', () => {
    const call = callerAsks([
      { sentences: ['I will press one for you now.'], toolCalls: [tool('keys', { kind: 'send_dtmf' })] },
      { sentences: ['Then not.'] },
    ]);
    call.until('play').run(700);
    call.callerSays('no please do not');
    call.untilQuiet();
    expect(call.all('run_tool')).toEqual([]);
    expect(call.heard.at(-1)).toBe('Then not.');
  });

  it('let the agent go on when a transfer fails', () => {
    const call = callerAsks(
      [
        { sentences: ['I will put you through.'], toolCalls: [tool('transfer', { kind: 'transfer_call' })] },
        { sentences: ['Nobody answers.'] },
      ],
      { toolResult: () => ({ ok: false, result: 'no answer' }) },
    );
    call.untilQuiet();
    expect(call.heard).toEqual(['I will put you through.', 'Nobody answers.']);
    expect(call.ended).toBeUndefined();
  });

  it('count as a transfer when the carrier takes the stream away in the middle of one', () => {
    const call = callerAsks([{ sentences: [], toolCalls: [tool('transfer', { kind: 'transfer_call' })] }], {
      toolMs: () => 5000,
    });
    call.until('run_tool').send({ type: 'carrier_stopped' });
    expect(call.ended?.reason).toBe('transferred');
  });
});
