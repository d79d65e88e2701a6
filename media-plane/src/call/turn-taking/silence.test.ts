import { describe, expect, it } from 'vitest';
import { tool } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

describe('a silent caller', () => {
  const options = { firstMessage: 'Hello.' };

  it('is asked twice, then taken leave of', () => {
    const call = new ScriptedCall({ options }).start();
    call.until('hang_up');
    expect(call.heard).toEqual([
      'Hello.',
      'Are you still there?',
      'Can you hear me?',
      'I cannot hear you, so I will hang up now. Goodbye.',
    ]);
    expect(call.ended?.reason).toBe('silence_timeout');
    expect(call.timeOf('say', (effect) => effect.type === 'say' && effect.turn === 2)).toBe(400 + 8000);
  });

  it('who coughs is still silent', () => {
    const call = new ScriptedCall({ options }).start().run(5000);
    call.callerCoughs(400);
    call.until('say', (effect) => effect.type === 'say' && effect.turn === 2);
    expect(call.now).toBe(400 + 8000);
  });

  it('on a noisy line is asked as well', () => {
    const call = new ScriptedCall({ options }).start().run(6000);
    call.send({ type: 'speech_started', startedAt: 6000 });
    call.until('say', (effect) => effect.type === 'say' && effect.turn === 2);
    expect(call.now).toBe(6000 + 3000);
  });

  it('who answers is asked anew only after the next silence', () => {
    const call = new ScriptedCall({ options }).start();
    call.until('say').until('remember').until('remember').run(100);
    call.callerSays('Yes I am here');
    call.until('hang_up');
    expect(call.heard.filter((text) => text === 'Are you still there?')).toHaveLength(2);
  });

  it('who speaks over the goodbye stays in the call', () => {
    const call = new ScriptedCall({ options }).start();
    call.until('say', (effect) => effect.type === 'say' && effect.text.includes('Goodbye'));
    call.until('play').run(500);
    call.callerSays('Wait I am here');
    call.run(5000);
    expect(call.ended).toBeUndefined();
    expect(call.heard.at(-1)).toBe('Certainly.');
  });

  it('who speaks before the goodbye is heard does not hear it', () => {
    const call = new ScriptedCall({ options }).start();
    call.until('say', (effect) => effect.type === 'say' && effect.text.includes('Goodbye'));
    call.send({ type: 'transcript', text: 'Wait I am here', final: true, confidence: 0.9 });
    call.run(5000);
    expect(call.ended).toBeUndefined();
    expect(call.heard.at(-1)).toBe('Certainly.');
  });

  it('is left at once where no prompts and no goodbye are wanted', () => {
    const call = new ScriptedCall({
      options,
      settings: { silence_prompts: [], silence_goodbye: '' },
    }).start();
    call.until('hang_up');
    expect(call.now).toBe(400 + 8000);
  });
});

describe('a caller who waits for a tool that takes long', () => {
  const script = {
    model: (n: number) =>
      [
        { sentences: [], toolCalls: [tool('look')] },
        { sentences: ['I am still checking.'] },
        { sentences: ['Here it is.'] },
      ][n] ?? { sentences: [] },
    toolMs: () => 40_000,
  };
  const asks = (settings: object) => {
    const call = new ScriptedCall({ ...script, settings: { preemptive_generation: 'off', ...settings } });
    call.start().run(1000);
    call.callerSays('I need a table');
    call.until('run_tool').run(2000);
    call.callerSays('hello are you there');
    return call.run(60_000);
  };

  it('hears that work is being done, again and again, and is not taken leave of', () => {
    const call = asks({ fillers: ['One moment, please.'] });
    expect(call.ended).toBeUndefined();
    const [first, ...rest] = call.heard.slice(call.heard.indexOf('I am still checking.') + 1);
    expect(first).toBe('One moment, please.');
    expect(rest.slice(0, 3)).toEqual(['One moment, please.', 'One moment, please.', 'Here it is.']);
  });

  it('is asked whether they are there, where no fillers are wanted', () => {
    const call = asks({ fillers: [], silence_prompts: ['Are you still there?'] });
    const rest = call.heard.slice(call.heard.indexOf('I am still checking.') + 1);
    expect(rest.slice(0, 4)).toEqual([
      'Are you still there?',
      'Are you still there?',
      'Are you still there?',
      'Here it is.',
    ]);
  });

  it('waits in silence where neither is wanted', () => {
    const call = asks({ fillers: [], silence_prompts: [], silence_goodbye: '' });
    expect(call.heard.slice(0, 2)).toEqual(['I am still checking.', 'Here it is.']);
  });
});

describe('a waiting caller', () => {
  it('hears a filler when the model is slow, and the answer after it', () => {
    const call = new ScriptedCall({
      model: () => ({ sentences: ['Here it is.'], firstTokenMs: 1500 }),
    }).start();
    call.run(1000);
    call.callerSays('I need a table');
    call.untilQuiet();
    expect(call.heard).toEqual(['One moment, please.', 'Here it is.']);
    expect(call.timeOf('say')).toBe(1000 + 1200 + 400 + 1200);
    expect(call.all('report').map((effect) => effect.metric.name)).toContain('filler');
  });

  it('hears one filler a turn, also when model and tool are slow', () => {
    const call = new ScriptedCall({
      model: (n) =>
        n === 0
          ? { sentences: [], toolCalls: [tool('look')], firstTokenMs: 3000 }
          : { sentences: ['Here it is.'], firstTokenMs: 3000 },
      toolMs: () => 3000,
      settings: { preemptive_generation: 'off' },
    });
    call.start().run(1000);
    call.callerSays('I need a table');
    call.untilQuiet();
    expect(call.heard).toEqual(['One moment, please.', 'Here it is.']);
  });

  it('hears no filler that is not ready before the answer', () => {
    const call = new ScriptedCall({
      model: () => ({ sentences: ['Here it is.'], firstTokenMs: 1300 }),
      voiceMs: (n) => (n === 0 ? 400 : 50),
      settings: { preemptive_generation: 'off' },
    }).start();
    call.run(1000);
    call.callerSays('I need a table');
    call.untilQuiet();
    expect(call.heard).toEqual(['Here it is.']);
    expect(call.trace()).toContain('abort 2 superseded');
  });

  it('who says more during the filler is answered as a whole', () => {
    const call = new ScriptedCall({
      model: () => ({ sentences: ['Here it is.'], firstTokenMs: 3000 }),
      settings: { preemptive_generation: 'off' },
    }).start();
    call.run(1000);
    call.callerSays('I need a table');
    call.until('play').run(400);
    call.callerSays('for four people');
    call.untilQuiet();
    expect(call.heard).toEqual(['One', 'One moment, please.', 'Here it is.']);
    expect(call.all('generate').map(({ basis }) => basis)).toEqual(['I need a table', 'for four people']);
  });
});
