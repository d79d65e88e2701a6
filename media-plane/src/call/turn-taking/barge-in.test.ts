import { describe, expect, it } from 'vitest';
import type { ScriptedCallOptions } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

const firstMessage =
  'Good morning, this is Anna from the bakery, and I am calling about your order of cakes.';

/** The agent has been speaking for a second. */
function agentSpeaks(script: ScriptedCallOptions = {}): ScriptedCall {
  const call = new ScriptedCall({ ...script, options: { firstMessage, ...script.options } }).start();
  return call.until('play').run(1000);
}

describe('barge-in', () => {
  it('pauses the agent as soon as it is surely speech', () => {
    const call = agentSpeaks();
    call.callerSays('No I do not want any cake');
    call.until('pause');
    expect(call.now).toBe(100 + 1000 + 120);
  });

  it('becomes an interruption with words: clears the audio, aborts the turn, cuts the history', () => {
    const call = agentSpeaks();
    call.callerSays('No I do not want any cake');
    call.untilQuiet();
    expect(call.trace(0).slice(2)).toEqual([
      'pause 1',
      'clear 1',
      'abort 1 interrupted',
      'truncate 1 at 1120',
      'remember agent "Good morning, this" interrupted',
      'generate 2 speculative "No I do not want any cake"',
      'remember caller "No I do not want any cake"',
      'commit 2',
      'play 2',
      'remember agent "Certainly."',
    ]);
    expect(call.history[0]).toEqual({ role: 'assistant', text: 'Good morning, this', toolCalls: [] });
    expect(call.transcript[0]).toMatchObject({
      text: firstMessage,
      heard_text: 'Good morning, this',
      interrupted: true,
    });
  });

  it('needs two words, or one and the minimum duration', () => {
    const quick = agentSpeaks();
    quick.callerSays('stop it', { wordMs: 100, interimMs: 50 });
    quick.until('clear');
    expect(quick.now).toBe(1100 + 250);
    const slow = agentSpeaks();
    slow.callerSays('stop', { wordMs: 1000, interimMs: 0 });
    slow.send({ type: 'transcript', text: 'sto', final: false, confidence: 0.5 }, 200);
    slow.until('clear');
    expect(slow.now).toBe(1100 + 400);
  });

  it('is an interruption at the end of the turn when a single short word was said', () => {
    const call = agentSpeaks();
    call.callerSays('stop', { wordMs: 200, interimMs: 350 });
    call.until('clear');
    expect(call.now).toBe(1100 + 200 + 400);
    expect(call.trace().at(-1)).toBe('generate 2 "stop"');
  });

  it('is reported with the time of the caller’s first speech', () => {
    const call = agentSpeaks();
    call.callerSays('No I do not want any cake');
    call.until('clear').run(0);
    expect(call.all('report').at(-1)?.metric).toEqual({
      name: 'barge_in',
      turn: 1,
      speechStartedAt: 1100,
      falseAlarm: false,
    });
  });

  it('is reported from when the caller spoke, where their audio came late', () => {
    const call = agentSpeaks();
    call.send({ type: 'speech_started', startedAt: 1100, lateMs: 80 });
    call.send({ type: 'transcript', text: 'No I do not want any', final: false, confidence: 0.9 }, 300);
    call.until('clear').run(0);
    expect(call.all('report').at(-1)?.metric).toMatchObject({ name: 'barge_in', speechStartedAt: 1020 });
  });

  it.each(['mhm', 'yeah okay', 'uh-huh'])(
    'is none when the caller only shows that they listen: %s',
    (text) => {
      const call = agentSpeaks();
      call.callerSays(text);
      call.untilQuiet();
      expect(call.all('clear')).toEqual([]);
      expect(call.all('generate')).toEqual([]);
      expect(call.trace()).toContain('resume 1 from 1120');
      expect(call.transcript.map(({ role }) => role)).toEqual(['caller', 'agent']);
      expect(call.history.map(({ role }) => role)).toEqual(['assistant']);
    },
  );

  it('does not keep the agent waiting for the final text of a backchannel', () => {
    const call = agentSpeaks();
    call.callerSays('mhm', { finalMs: 60_000 });
    call.until('resume');
    expect(call.now).toBe(1100 + 300 + 1500);
  });

  it('takes agreement for an answer when the agent asks something', () => {
    const call = agentSpeaks({
      options: { firstMessage: 'Shall I bring the cakes today? It would be easy for me.' },
    });
    call.callerSays('yes please', { interimMs: 50 });
    call.until('clear');
    expect(call.history[0]).toMatchObject({ text: 'Shall I bring' });
  });

  it('was a false interruption when no words follow: the agent resumes from what was heard', () => {
    const call = agentSpeaks();
    call.callerCoughs(300);
    call.until('resume');
    expect(call.now).toBe(1100 + 300 + 1500);
    expect(call.all('resume')).toEqual([{ type: 'resume', turn: 1, fromMs: 1120 }]);
    expect(call.all('report').at(-1)?.metric).toMatchObject({ name: 'barge_in', falseAlarm: true });
    call.untilQuiet();
    expect(call.heard).toEqual([firstMessage]);
  });

  it('ignores a sound that is shorter than the pause takes', () => {
    const call = agentSpeaks();
    call.send({ type: 'speech_started', startedAt: 1040 });
    call.run(50).send({ type: 'speech_stopped', stoppedAt: 1130 });
    call.untilQuiet();
    expect(call.all('pause')).toEqual([]);
  });

  it('goes on over a line that stays noisy without a word', () => {
    const call = agentSpeaks();
    call.send({ type: 'speech_started', startedAt: 1100 });
    call.until('resume');
    expect(call.now).toBe(1100 + 3000);
    call.untilQuiet();
    expect(call.heard).toEqual([firstMessage]);
  });

  it('still hears words in the noise', () => {
    const call = agentSpeaks();
    call.send({ type: 'speech_started', startedAt: 1100 });
    call.until('resume').run(300);
    call.send({ type: 'transcript', text: 'please stop', final: false, confidence: 0.9 });
    expect(call.trace().slice(-4)).toContain('clear 1');
  });

  it('works by the words alone where the detector missed them', () => {
    const call = agentSpeaks();
    call.send({ type: 'transcript', text: 'please stop', final: false, confidence: 0.9 });
    expect(call.trace()).toContain('clear 1');
  });

  it('keeps an answer waiting while the caller speaks, and lets it be heard after a mere cough', () => {
    const call = new ScriptedCall({ settings: { preemptive_generation: 'off' } }).start().run(1000);
    const lasts = call.callerSays('I need a table');
    call.run(lasts + 500);
    call.callerCoughs(300);
    call.until('play');
    expect(call.now).toBe(1000 + lasts + 500 + 300 + 1500);
    expect(call.all('generate')).toHaveLength(1);
  });

  it('learns that the turn was over when all of it was played just then', () => {
    const call = new ScriptedCall({ options: { firstMessage: 'Hello there.' } }).start();
    call.until('play').run(590);
    call.callerSays('I need a table');
    call.untilQuiet();
    expect(call.heard).toEqual(['Hello there.', 'Certainly.']);
    expect(call.all('clear')).toEqual([]);
  });
});
