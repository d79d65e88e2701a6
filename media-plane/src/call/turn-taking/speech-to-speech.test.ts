import { describe, expect, it } from 'vitest';
import { type ScriptedCallOptions, tool } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

const noVoicemail = { detect: false, action: 'hangup', message: '' } as const;

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

  it('does not speak over a caller who goes on for long, and answers all they said', () => {
    const call = speechToSpeech({ model: () => ({ sentences: ['Yes.'], firstTokenMs: 500 }) });
    call.callerSpeaks(1500);
    call.until('generate');
    const lasts = call.callerSpeaks(6000);
    call.run(lasts);
    expect(call.all('play')).toEqual([]);
    call.until('generate');
    expect(call.trace()).toEqual(['generate 1 ""', 'abort 1 caller_continued', 'generate 2 ""']);
    call.untilQuiet();
    expect(call.heard).toEqual(['Yes.']);
  });

  it('waits for a caller who speaks beyond the disclosure', () => {
    const call = speechToSpeech({ options: { disclosure: 'I am an AI.', firstMessage: 'Hello there.' } });
    call.run(300);
    const lasts = call.callerSpeaks(7000);
    call.run(lasts);
    expect(call.heard).toEqual(['I am an AI.']);
    expect(call.all('play')).toHaveLength(1);
    call.untilQuiet();
    expect(call.heard[1]).toBe('Hello there.');
  });

  it('takes its leave of no caller who speaks for long', () => {
    const call = speechToSpeech({ settings: { silence_prompts: [] } });
    call.run(7900);
    const lasts = call.callerSpeaks(20_000);
    call.run(lasts);
    expect(call.all('say')).toEqual([]);
    call.until('generate');
  });

  it('speaks over a noise that has not ended in a minute', () => {
    const call = speechToSpeech({
      options: { voicemail: noVoicemail },
      model: () => ({ sentences: ['Yes.'], firstTokenMs: 500 }),
    });
    call.callerSpeaks(800);
    call.until('generate');
    const from = call.now;
    call.callerSpeaks(200_000);
    call.run(59_000);
    expect(call.all('play')).toEqual([]);
    call.until('play');
    expect(call.now - from).toBe(60_000);
  });

  /** A tool has run for 1.4 s of its three. */
  function lookingUp() {
    const call = speechToSpeech({
      options: { voicemail: noVoicemail },
      settings: { fillers: [] },
      model: (n) => ({
        sentences: ['It is there.'],
        ...(n === 0 && { sentences: [], toolCalls: [tool('look_up')] }),
      }),
      toolMs: () => 3000,
    });
    call.callerSpeaks(800);
    return call.until('run_tool').run(1400);
  }

  it('answers a tool’s result after what the caller says meanwhile', () => {
    const call = lookingUp();
    const lasts = call.callerSpeaks(2500);
    call.run(lasts);
    expect(call.all('generate')).toHaveLength(1);
    call.until('generate');
    expect(call.trace().slice(-2)).toEqual(['run_tool look_up of 1', 'generate 2 ""']);
  });

  it('answers a tool’s result in a noise that has not ended in a minute', () => {
    const call = lookingUp();
    const from = call.now;
    call.callerSpeaks(200_000);
    call.run(59_000);
    expect(call.all('generate')).toHaveLength(1);
    call.until('generate');
    expect(call.now - from).toBe(60_000);
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
