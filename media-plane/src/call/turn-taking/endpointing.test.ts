import { describe, expect, it } from 'vitest';
import { endpointingDelay } from './endpointing.js';
import { initialState, type State } from './state.js';
import type { ScriptedCallOptions } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

const plain = { preemptive_generation: 'off' as const };

/** When the answer was begun, counted from the end of the caller's speech, in ms. */
function delayAfter(
  text: string,
  speech: Parameters<ScriptedCall['callerSays']>[1] = {},
  script: ScriptedCallOptions = { settings: plain },
): number {
  const call = new ScriptedCall(script).start();
  call.run(1000);
  const lasts = call.callerSays(text, speech);
  call.until('generate');
  return call.now - 1000 - lasts;
}

describe('the end of the caller’s turn', () => {
  it('is the minimum delay after the speech, with a final text', () => {
    expect(delayAfter('I need a table')).toBe(400);
  });

  it('is not put off by a word that also ends a sentence', () => {
    expect(delayAfter('That suits me very well.')).toBe(400);
  });

  it('is when the final text comes, where that is later', () => {
    expect(delayAfter('I need a table', { finalMs: 900 })).toBe(900);
  });

  it('is the maximum delay with whatever text there is, where no final text comes', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('I need a table', { finalMs: 60_000 });
    call.until('generate');
    expect(call.now).toBe(1000 + 1200 + 3000);
    expect(call.trace().at(-1)).toBe('generate 1 "I need a table"');
  });

  // A machine's timers fire early by a part of a millisecond, and more on a busy machine.
  it('comes all the same where its timer fires some ms early', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    const lasts = call.callerSays('I need a table');
    call.run(lasts + 390);
    expect(call.openTimers.has('endpointing')).toBe(true);
    call.send({ type: 'timer', name: 'endpointing' });
    call.until('generate');
    expect(call.now).toBe(1000 + lasts + 400);
  });

  it('is when a provider is sure of it, even while the detector still hears something', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.send({ type: 'speech_started', startedAt: 1000 });
    call.run(900).send({ type: 'transcript', text: 'a table please', final: false, confidence: 0.9 });
    call.send({ type: 'end_of_turn', source: 'flux', confidence: 0.6 });
    expect(call.all('generate')).toEqual([]);
    call.send({ type: 'end_of_turn', source: 'flux', confidence: 0.8 });
    expect(call.all('generate')).toHaveLength(1);
  });

  it('comes sooner when the recogniser is confident that the sentence is over', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('I need a table', { interimMs: 50, finalMs: 60 });
    call.send({ type: 'end_of_turn', source: 'stt', confidence: 0.95 }, 1200 + 70);
    call.until('generate');
    expect(call.now).toBe(1000 + 1200 + 250);
  });

  it('does not come while the caller goes on after a pause', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('I need a table');
    call.run(1200 + 300);
    call.callerSays('for four people');
    call.until('generate');
    expect(call.trace()).toEqual([
      'remember caller "I need a table for four people"',
      'generate 1 "I need a table for four people"',
    ]);
  });

  it('never comes of a noise without words', () => {
    const call = new ScriptedCall().start().run(1000);
    call.callerCoughs(500);
    call.run(3500);
    expect(call.trace()).toEqual([]);
    expect(call.state.caller).toEqual({ phase: 'silent' });
  });

  it('comes also where the detector hears a noisy line on and on', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.send({ type: 'speech_started', startedAt: 1000 });
    call.run(500).send({ type: 'transcript', text: 'a table please', final: true, confidence: 0.9 });
    call.until('generate');
    expect(call.now).toBe(1500 + 3000);
  });

  it('is found by the words alone where the detector missed them', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.send({ type: 'transcript', text: 'a table please', final: true, confidence: 0.9 });
    call.until('generate');
    expect(call.now).toBe(1400);
  });

  it('is reported with the end of speech and the time of the decision', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.callerSays('I need a table');
    call.until('generate').run(0);
    expect(call.all('report').map((effect) => effect.metric)).toEqual([
      { name: 'end_of_turn', turn: 1, speechEndedAt: 2200, decidedAt: 2600, preempted: false },
    ]);
  });

  it('is reported from when the caller had spoken, where their audio came late', () => {
    const call = new ScriptedCall({ settings: plain }).start().run(1000);
    call.send({ type: 'speech_started', startedAt: 1000 });
    call.send({ type: 'speech_stopped', stoppedAt: 2200, lateMs: 70 }, 1400);
    call.send({ type: 'transcript', text: 'I need a table', final: true, confidence: 0.9 }, 1450);
    call.until('generate').run(0);
    expect(call.all('report').map((effect) => effect.metric)).toMatchObject([
      { name: 'end_of_turn', speechEndedAt: 2130, decidedAt: 2600 },
    ]);
  });
});

describe('the endpointing delay that words ask for', () => {
  const after = (question: string, language = 'en-US'): State => {
    const state = initialState(new ScriptedCall({ options: { language } }).options);
    return question === ''
      ? state
      : { ...state, history: [{ role: 'assistant', text: question, toolCalls: [] }] };
  };
  const delay = (text: string, question = '', language = 'en-US') =>
    endpointingDelay(after(question, language), text, false);

  it('is the minimum after a finished sentence', () => {
    expect(delay('I would like to book a table.')).toBe(400);
    expect(endpointingDelay(after(''), 'I would like to book a table.', true)).toBe(250);
  });

  it.each([
    ['en-US', 'I would like to book a table and'],
    ['en-GB', 'Well, um'],
    ['en-US', 'Sorry, wait,'],
    ['de-DE', 'Ich möchte einen Tisch für'],
    ['es', 'Quiero una mesa para'],
    ['fr-FR', 'Je voudrais une table pour'],
  ])('is longer after a connective, a hesitation or a comma (%s: %s)', (language, text) => {
    expect(delay(text, '', language)).toBe(1200);
  });

  it('knows no words of a language without rules', () => {
    expect(delay('I would like to book a table and', '', 'fi-FI')).toBe(400);
  });

  it.each([
    ['en-US', 'my number is five five five', ''],
    ['en-US', 'it is 030 55', ''],
    ['de-DE', 'meine Nummer ist null drei null', ''],
    ['en-US', 'five', 'What is your account number?'],
  ])('is longer while a number is dictated (%s: %s)', (language, text, question) => {
    expect(delay(text, question, language)).toBe(1600);
  });

  it.each([
    ['a complete phone number', '555 010 4477'],
    ['a single number', 'a table for two'],
    ['a time of day', 'at 5:30'],
  ])('is the minimum after %s', (_, text) => {
    expect(delay(text)).toBe(400);
  });

  it('is longer after a short beginning of an answer to an open question, not after a whole one', () => {
    expect(delay('Jane', 'Hello. What is your name?')).toBe(700);
    expect(delay('My name is Jane Miller', 'Hello. What is your name?')).toBe(400);
    expect(delay('Yes', 'Shall I book it?')).toBe(400);
  });

  it('never exceeds the maximum delay', () => {
    const state = initialState(new ScriptedCall({ settings: { max_endpointing_ms: 900 } }).options);
    expect(endpointingDelay(state, 'a table and', false)).toBe(900);
  });

  it('holds the turn open until more is said', () => {
    expect(delayAfter('a table for')).toBe(1200);
  });
});
