import { describe, expect, it } from 'vitest';
import { agentPhase } from './agent-phase.js';
import { type ScriptedCallOptions, tool } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

const firstMessage = 'Good morning, this is Anna from the bakery, and I am calling about your order.';

function agentSpeaks(script: ScriptedCallOptions = {}): ScriptedCall {
  const call = new ScriptedCall({ ...script, options: { firstMessage, ...script.options } }).start();
  return call.until('play').run(1000);
}

describe('end_call', () => {
  const goodbye = {
    sentences: ['Thank you, and goodbye.'],
    toolCalls: [tool('end_call', { kind: 'end_call' })],
  };

  it('waits for the goodbye to be heard', () => {
    const call = new ScriptedCall({ model: () => goodbye }).start().run(1000);
    call.callerSays('That is all');
    call.until('play').run(200);
    expect(agentPhase(call.state)).toBe('closing');
    call.until('hang_up');
    expect(call.trace().slice(-4)).toEqual([
      'run_tool end_call of 1',
      'play 1',
      'remember agent "Thank you, and goodbye."',
      'hang_up agent_hangup',
    ]);
  });

  it('is not stopped by a caller who says goodbye as well; their words are kept', () => {
    const call = new ScriptedCall({ model: () => goodbye }).start().run(1000);
    call.callerSays('That is all');
    call.until('play').run(200);
    call.callerSays('Goodbye Anna', { wordMs: 200 });
    call.until('hang_up');
    expect(call.all('clear')).toEqual([]);
    expect(call.transcript.at(-1)).toMatchObject({ role: 'caller', text: 'Goodbye Anna' });
  });

  it('is taken back by a caller who goes on before the goodbye is heard', () => {
    const call = new ScriptedCall({
      model: (n) => (n === 0 ? goodbye : { sentences: ['Which one?'] }),
      voiceMs: () => 350,
    })
      .start()
      .run(1000);
    call.callerSays('No that is all');
    call.until('run_tool');
    call.callerSays('oh wait I also need to cancel');
    call.until('abort');
    expect(call.state.closing).toBeNull();
    call.until('play');
    call.untilQuiet();
    expect(call.heard).toEqual(['Which one?']);
    expect(call.ended).toBeUndefined();
    expect(call.history).toMatchObject([
      { role: 'user', text: 'No that is all' },
      { role: 'assistant', toolCalls: [{ name: 'end_call' }] },
      { role: 'tool', text: expect.stringContaining('The caller went on; this was not done.') },
      { role: 'user', text: 'oh wait I also need to cancel' },
      { role: 'assistant', text: 'Which one?' },
    ]);
  });

  it('waits for a caller who goes on to a model that hears them itself', () => {
    const call = new ScriptedCall({
      options: { hearsWords: false },
      model: (n) => (n === 0 ? goodbye : { sentences: ['Which one?'] }),
      voiceMs: () => 350,
    })
      .start()
      .run(4000);
    call.callerSpeaks(900);
    call.until('run_tool');
    call.callerSpeaks(20_000);
    call.until('generate').untilQuiet();
    expect(call.heard).toEqual(['Which one?']);
    expect(call.ended).toBeUndefined();
  });

  describe('without a goodbye', () => {
    const silent = { sentences: [], toolCalls: goodbye.toolCalls };

    it('waits for a caller who goes on to a model that hears them itself', () => {
      const call = new ScriptedCall({
        options: { hearsWords: false },
        model: (n) => (n === 0 ? { ...silent, firstTokenMs: 700 } : { sentences: ['Which one?'] }),
      })
        .start()
        .run(4000);
      call.callerSpeaks(900);
      call.until('generate').run(200);
      call.callerSpeaks(5000);
      call.until('generate').untilQuiet();
      expect(call.heard).toEqual(['Which one?']);
      expect(call.ended).toBeUndefined();
    });

    it('waits for the words of a caller who goes on, and ends the call after a noise', () => {
      const begin = () => {
        const call = new ScriptedCall({
          settings: { preemptive_generation: 'off' },
          model: (n) => (n === 0 ? { ...silent, firstTokenMs: 700 } : { sentences: ['Which one?'] }),
        })
          .start()
          .run(1000);
        call.callerSays('No that is all');
        call.until('generate').run(500);
        call.send({ type: 'speech_started', startedAt: call.now });
        call.run(1500);
        expect(call.ended).toBeUndefined();
        return call;
      };
      const going = begin();
      going.callerSays('oh wait I need one more');
      going.until('generate').untilQuiet();
      expect([going.heard.at(-1), going.ended]).toEqual(['Which one?', undefined]);
      const noisy = begin();
      noisy.until('hang_up');
      expect(noisy.ended?.reason).toBe('agent_hangup');
    });
  });

  it('is asked for again where the caller only says goodbye before it is heard', () => {
    const call = new ScriptedCall({ model: () => goodbye, voiceMs: () => 350 }).start().run(1000);
    call.callerSays('No that is all');
    call.until('run_tool');
    call.callerSays('Bye');
    call.until('hang_up');
    expect(call.heard).toEqual(['Thank you, and goodbye.']);
    expect(call.ended?.reason).toBe('agent_hangup');
  });

  it('is heard also where the recogniser fails for good before it has begun', () => {
    const call = new ScriptedCall({ model: () => goodbye, voiceMs: () => 350 }).start().run(1000);
    call.callerSays('That is all');
    call.until('run_tool').send({ type: 'provider_failed', code: 'stt_timed_out' });
    call.until('hang_up');
    expect(call.heard).toEqual(['Thank you, and goodbye.']);
    expect(call.ended).toMatchObject({ reason: 'agent_hangup', errorCode: null });
  });

  it('is heard also where the recogniser fails for good meanwhile', () => {
    const call = new ScriptedCall({ model: () => goodbye }).start().run(1000);
    call.callerSays('That is all');
    call.until('play').run(200);
    call.send({ type: 'provider_failed', code: 'stt_timed_out' });
    call.until('hang_up');
    expect(call.heard).toEqual(['Thank you, and goodbye.']);
    expect(call.ended).toMatchObject({ reason: 'agent_hangup', errorCode: null });
  });

  it('that comes while the agent is paused lets it finish', () => {
    const call = new ScriptedCall({ model: () => ({ ...goodbye, sentenceMs: 900 }) }).start().run(1000);
    call.callerSays('That is all');
    call.until('play').run(200);
    call.callerCoughs(5000);
    call.until('hang_up');
    expect(call.all('pause')).toHaveLength(1);
    expect(call.heard).toEqual(['Thank you, and goodbye.']);
    expect(call.ended?.reason).toBe('agent_hangup');
  });

  it('ends the call also when the goodbye is never heard', () => {
    const call = new ScriptedCall({ model: () => goodbye, voiceMs: () => 1e6 }).start().run(1000);
    call.callerSays('That is all');
    call.until('hang_up');
    expect(call.now - call.timeOf('run_tool')).toBeLessThanOrEqual(10_000 + 23 * 75);
    expect(call.now - call.timeOf('run_tool')).toBeGreaterThanOrEqual(10_000);
    expect(call.ended?.reason).toBe('agent_hangup');
  });

  it('without a word ends the call at once', () => {
    const call = new ScriptedCall({ model: () => ({ ...goodbye, sentences: [] }), toolMs: () => 0 })
      .start()
      .run(1000);
    call.callerSays('That is all');
    call.until('hang_up');
    expect(call.now - call.timeOf('commit')).toBeLessThan(200);
  });

  it('is the caller’s hang-up when they do not wait for the goodbye', () => {
    const call = new ScriptedCall({ model: () => goodbye }).start().run(1000);
    call.callerSays('That is all');
    call.until('play').run(700);
    call.send({ type: 'carrier_stopped' });
    expect(call.ended?.reason).toBe('caller_hangup');
    expect(call.heard.at(-1)).toBe('Thank you,');
  });
});

describe('an end from outside', () => {
  it.each([
    ['operator_hangup', 'operator_hangup'],
    ['operator_hangup', 'worker_lost'],
  ] as const)('comes at once by %s (%s), and what was heard is remembered', (type, reason) => {
    const call = agentSpeaks();
    call.send({ type, reason });
    expect(call.now).toBe(1100);
    expect(call.trace(0).slice(2)).toEqual([
      'clear 1',
      'abort 1 closing',
      'truncate 1 at 1000',
      'remember agent "Good morning, this" interrupted',
      `hang_up ${reason}`,
    ]);
  });

  it('comes at once when the caller hangs up, and their unfinished words are kept', () => {
    const call = new ScriptedCall().start().run(1000);
    call.callerSays('I would like to');
    call.run(1400).send({ type: 'carrier_stopped' });
    expect(call.transcript).toMatchObject([{ role: 'caller', text: 'I would like to' }]);
    expect(call.ended).toMatchObject({ reason: 'caller_hangup', errorCode: null });
  });

  it('reports which provider failed', () => {
    const call = agentSpeaks();
    call.send({ type: 'provider_failed', code: 'stt_gone' });
    expect(call.ended).toMatchObject({ reason: 'provider_failed', errorCode: 'stt_gone' });
  });

  it('happens once, whatever comes after it', () => {
    const call = agentSpeaks();
    call.send({ type: 'carrier_stopped' }).send({ type: 'operator_hangup', reason: 'operator_hangup' });
    call.send({ type: 'call_started' }).run(60_000);
    expect(call.all('hang_up')).toHaveLength(1);
  });

  it('does not hang on an executor that never says how much was heard', () => {
    const call = agentSpeaks();
    const state = {
      ...call.state,
      turns: call.state.turns.map((turn) => ({ ...turn, phase: 'clearing' as const })),
    };
    call.state = state;
    call.send({ type: 'operator_hangup', reason: 'operator_hangup' });
    expect(call.openTimers.get('closing')).toBe(1100 + 1000);
  });
});

describe('the maximum duration', () => {
  it('ends the call with a goodbye, also in the middle of a sentence', () => {
    const call = agentSpeaks({ options: { firstMessage, maxDurationMs: 2100 } });
    call.until('hang_up');
    expect(call.heard).toEqual([
      'Good morning, this is Anna from',
      'I am sorry, we have reached the end of the time for this call. Thank you, and goodbye.',
    ]);
    expect(call.ended?.reason).toBe('max_duration');
  });

  it('says so in the language of the call', () => {
    const call = agentSpeaks({ options: { firstMessage, language: 'de-DE' } });
    call.send({ type: 'limit_reached', limit: 'max_duration' });
    expect(call.all('say').at(-1)).toMatchObject({ uninterruptible: true });
    expect(call.all('say').at(-1)?.text).toContain('auf Wiederhören');
  });
});
