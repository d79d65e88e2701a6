import { describe, expect, it } from 'vitest';
import type { ScriptedCallOptions } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

/** A call whose model hears the caller itself. */
function speechToSpeech(script: ScriptedCallOptions = {}): ScriptedCall {
  return new ScriptedCall({ ...script, options: { hearsWords: false, ...script.options } }).start();
}

const LONG = { sentences: ['Our opening hours are from nine in the morning until six in the evening.'] };

describe('turn-taking without the caller’s words', () => {
  it('ends the turn by silence alone, after the minimum endpointing delay', () => {
    const call = speechToSpeech();
    const lasts = call.callerSpeaks(900);
    call.until('generate');
    expect(call.now).toBe(lasts + 400);
    expect(call.trace()).toEqual(['generate 1 ""']);
  });

  it('takes a cough for no turn', () => {
    const call = speechToSpeech();
    call.callerSpeaks(120);
    call.run(3000);
    expect(call.trace()).toEqual([]);
  });

  it('waits for a caller who goes on after a pause', () => {
    const call = speechToSpeech();
    call.callerSpeaks(800);
    call.run(1050);
    call.callerSpeaks(800);
    call.run(900);
    expect(call.all('generate')).toEqual([]);
    call.until('generate');
    expect(call.all('generate')).toHaveLength(1);
  });

  it('takes a turn back when the caller goes on before the answer is heard', () => {
    const call = speechToSpeech({ model: () => ({ sentences: ['Yes.'], firstTokenMs: 2000 }) });
    call.callerSpeaks(800);
    call.until('generate');
    call.callerSpeaks(800);
    call.until('generate');
    expect(call.trace()).toEqual(['generate 1 ""', 'abort 1 caller_continued', 'generate 2 ""']);
    call.send({ type: 'transcribed', answer: 1, text: 'I want to book' });
    call.send({ type: 'transcribed', answer: 2, text: 'a table for two' });
    expect(call.transcript.at(-1)?.text).toBe('I want to book a table for two');
    expect(call.history).toEqual([{ role: 'user', text: 'I want to book a table for two' }]);
  });

  it('is interrupted by enough speech, and not by a backchannel', () => {
    const call = speechToSpeech({ model: () => LONG });
    call.callerSpeaks(800);
    call.until('play');
    call.run(500);
    call.callerSpeaks(300);
    call.run(800);
    expect(call.trace().slice(-2)).toEqual(['pause 1', expect.stringMatching(/^resume 1 from/)]);
    call.callerSpeaks(900);
    call.until('clear');
    expect(call.all('truncate')).toHaveLength(1);
    call.until('generate');
  });

  it('cannot be interrupted while it discloses what it is', () => {
    const call = speechToSpeech({ options: { disclosure: 'I am an automated assistant of the clinic.' } });
    call.run(500);
    call.callerSpeaks(900);
    call.run(1500);
    expect(call.all('clear')).toEqual([]);
    call.until('generate');
    expect(call.heard).toEqual(['I am an automated assistant of the clinic.']);
  });

  it('puts the caller’s words in their place when they come after the answer', () => {
    const call = speechToSpeech({ model: () => ({ sentences: ['We close at six.'] }) });
    call.callerSpeaks(800);
    call.untilQuiet();
    expect(call.transcript.map((entry) => entry && [entry.index, entry.text])).toEqual([
      undefined,
      [1, 'We close at six.'],
    ]);
    call.send({ type: 'transcribed', answer: 1, text: 'When do you' });
    call.send({ type: 'transcribed', answer: 1, text: 'When do you close?' });
    expect(call.transcript.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'caller: When do you close?',
      'agent: We close at six.',
    ]);
    expect(call.history).toEqual([
      { role: 'user', text: 'When do you close?' },
      { role: 'assistant', text: 'We close at six.', toolCalls: [] },
    ]);
  });

  it('ignores words of a turn that it does not know', () => {
    const call = speechToSpeech();
    call.send({ type: 'transcribed', answer: 7, text: 'ghost' });
    expect(call.transcript).toEqual([]);
  });

  describe('with the provider’s turn detection', () => {
    const settings = { turn_detection: 'provider' } as const;

    it('answers when the provider says so, and not by silence', () => {
      const call = speechToSpeech({ settings });
      call.callerSpeaks(900);
      call.run(2500);
      expect(call.all('generate')).toEqual([]);
      call.send({ type: 'end_of_turn', source: 'realtime', confidence: 1 });
      expect(call.all('generate')).toHaveLength(1);
    });

    it('answers all the same when the provider never says so', () => {
      const call = speechToSpeech({ settings });
      const lasts = call.callerSpeaks(900);
      call.until('generate');
      expect(call.now).toBe(lasts + 3000);
    });

    it('answers speech that only the provider has heard', () => {
      const call = speechToSpeech({ settings });
      call.run(500);
      call.send({ type: 'end_of_turn', source: 'realtime', confidence: 1 });
      expect(call.all('generate')).toHaveLength(1);
    });

    it('takes a short sound during the agent’s turn for listening, whatever the provider says', () => {
      const call = speechToSpeech({ settings, model: () => LONG });
      call.callerSpeaks(800);
      call.send({ type: 'end_of_turn', source: 'realtime', confidence: 1 }, 1200);
      call.until('play');
      call.run(300);
      call.callerSpeaks(200);
      call.run(500);
      call.send({ type: 'end_of_turn', source: 'realtime', confidence: 1 });
      expect(call.all('clear')).toEqual([]);
    });
  });

  describe('when the cascade takes over', () => {
    it('hears what was not answered again, now with words', () => {
      const call = speechToSpeech({ model: () => ({ sentences: ['Yes.'], firstTokenMs: 2000 }) });
      call.callerSpeaks(800);
      call.until('generate');
      call.send({ type: 'conversation_replaced', hearsWords: true });
      expect(call.trace()).toEqual(['generate 1 ""', 'abort 1 superseded']);
      expect(call.history).toEqual([]);
      call.callerSays('When do you close?');
      call.until('generate');
      expect(call.all('generate').at(-1)).toMatchObject({ turn: 2 });
      expect(call.state.hearsWords).toBe(true);
    });

    it('keeps what was said and answered', () => {
      const call = speechToSpeech({ model: () => ({ sentences: ['At six.'] }) });
      call.callerSpeaks(800);
      call.untilQuiet();
      call.send({ type: 'transcribed', answer: 1, text: 'When do you close?' });
      call.send({ type: 'conversation_replaced', hearsWords: true });
      expect(call.history.map((entry) => 'text' in entry && entry.text)).toEqual([
        'When do you close?',
        'At six.',
      ]);
    });
  });
});
