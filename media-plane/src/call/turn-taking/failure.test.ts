import { describe, expect, it } from 'vitest';
import { type Answer, type ScriptedCallOptions, tool } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

const APOLOGY = 'I am sorry, I did not get that. Could you say it again, please?';
const good: Answer = { sentences: ['Here it is.'] };
const broken = (retryable: boolean, sentences: readonly string[] = []): Answer => ({
  sentences,
  fails: { retryable },
});

function callerAsks(answers: readonly Answer[], script: ScriptedCallOptions = {}): ScriptedCall {
  const call = new ScriptedCall({
    settings: { preemptive_generation: 'off', fillers: [] },
    model: (n) => answers[Math.min(n, answers.length - 1)] as Answer,
    ...script,
  });
  call.start().run(1000);
  call.callerSays('Is there a table free');
  return call;
}

describe('a generation that fails', () => {
  it('is tried once more when that may help', () => {
    const call = callerAsks([broken(true), good]);
    call.untilQuiet();
    expect(call.trace()).toEqual([
      'remember caller "Is there a table free"',
      'generate 1 "Is there a table free"',
      'abort 1 failed',
      'generate 2 "Is there a table free"',
      'play 2',
      'remember agent "Here it is."',
    ]);
  });

  it('leads to an apology when it cannot be helped, or failed again', () => {
    expect(callerAsks([broken(false), good]).untilQuiet().heard).toEqual([APOLOGY]);
    expect(callerAsks([broken(true), broken(true), good]).untilQuiet().heard).toEqual([APOLOGY]);
  });

  it('ends the call the second time in a row', () => {
    const call = callerAsks([broken(false)]).untilQuiet();
    call.callerSays('Is there a table');
    call.until('hang_up');
    expect(call.ended).toMatchObject({ reason: 'provider_failed', errorCode: 'model_failed' });
  });

  it('does not count against the call after an answer that was heard', () => {
    const call = callerAsks([broken(false), good, broken(false), good]).untilQuiet();
    for (const _ of [1, 2, 3]) {
      call.callerSays('Is there a table');
      call.untilQuiet();
    }
    expect(call.heard).toEqual([APOLOGY, 'Here it is.', APOLOGY, 'Here it is.']);
  });

  it('does not count against the call after an answer that the caller heard and interrupted', () => {
    const long: Answer = { sentences: ['There is one by the window, and there is another one upstairs.'] };
    const call = callerAsks([broken(false), long, broken(false), good]).untilQuiet();
    call.callerSays('Is there a table');
    call.until('play').run(800);
    call.callerSays('no wait please');
    call.untilQuiet();
    expect(call.transcript.some(({ interrupted }) => interrupted)).toBe(true);
    expect(call.heard.filter((text) => text === APOLOGY)).toHaveLength(2);
    expect(call.ended).toBeUndefined();
  });

  describe('in the middle of being heard, when the voice has said what there was', () => {
    const brokeOff: Answer = {
      sentences: ['Well then, let me see now.'],
      sentenceMs: 1000,
      fails: { retryable: true, playsOut: true },
    };

    it('is heard to its end before it is begun anew', () => {
      const call = callerAsks([brokeOff, good]).untilQuiet();
      expect(call.heard).toEqual(['Well then, let me see now.', 'Here it is.']);
      expect(call.all('clear')).toEqual([]);
    });

    it('is not begun anew for a caller who interrupts: what they say now is answered', () => {
      const call = callerAsks([brokeOff, good]);
      call.until('play').run(1000);
      call.callerSays('no wait please');
      call.untilQuiet();
      expect(call.all('generate').map(({ basis }) => basis)).toEqual([
        'Is there a table free',
        'no wait please',
      ]);
    });
  });

  it('in the middle of being heard is cut there, and begun anew knowing what was heard', () => {
    const call = callerAsks([{ ...broken(true, ['Well then, let me see now.']), sentenceMs: 1000 }, good]);
    call.untilQuiet();
    expect(call.heard).toEqual(['Well then, let', 'Here it is.']);
    expect(call.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
  });
});

describe('an answer that makes no sound', () => {
  const silent: Answer = { sentences: ['Too late.'], firstTokenMs: 60_000 };
  const options = { turnDeadlineMs: 6000 };
  const asked = ({ effect }: ScriptedCall['effects'][number]) => effect.type === 'generate';

  it('is given up at its deadline: filler, apology, and the next turn works again', () => {
    const call = callerAsks([silent, good], { options, settings: { preemptive_generation: 'off' } });
    call.untilQuiet();
    expect(call.heard).toEqual(['One moment, please.', APOLOGY]);
    const since = call.effects.find(asked)!.at;
    expect(call.timeOf('abort') - since).toBe(6000);
    expect(call.all('abort')).toMatchObject([{ reason: 'timed_out' }]);
    call.callerSays('Is there a table');
    call.untilQuiet();
    expect(call.heard.at(-1)).toBe('Here it is.');
    expect(call.ended).toBeUndefined();
  });

  it('is apologised for in the words of the agent, where it has any', () => {
    const settings = {
      preemptive_generation: 'off' as const,
      fillers: [],
      apology: ' Sorry, say that again? ',
    };
    expect(callerAsks([silent, good], { options, settings }).untilQuiet().heard).toEqual([
      'Sorry, say that again?',
    ]);
  });

  it('is given up at the same time when a model failed on the way', () => {
    const late: Answer = { ...broken(true), firstTokenMs: 4000 };
    const call = callerAsks([late, silent], { options }).untilQuiet();
    const since = call.effects.find(asked)!.at;
    expect(call.all('generate')).toHaveLength(2);
    expect(
      call.timeOf('abort', (effect) => 'reason' in effect && effect.reason === 'timed_out') - since,
    ).toBe(6000);
  });

  it('is not begun anew after its deadline', () => {
    const call = callerAsks([{ ...broken(true), firstTokenMs: 6000 }, good], { options }).untilQuiet();
    expect(call.all('generate')).toHaveLength(1);
    expect(call.heard).toEqual([APOLOGY]);
  });

  it('counts from the end of the caller’s turn when it was begun before that', () => {
    const call = callerAsks([silent, good], { options, settings: { fillers: [] } }).untilQuiet();
    expect(call.timeOf('abort') - call.timeOf('commit')).toBe(6000);
    expect(call.timeOf('commit')).toBeGreaterThan(call.effects.find(asked)!.at);
  });

  it('has no deadline while its tool runs: the result begins a new answer', () => {
    const answers: Answer[] = [{ sentences: [], toolCalls: [tool('book')] }, good];
    const call = callerAsks(answers, { options, toolMs: () => 20_000 });
    expect(call.untilQuiet().heard).toEqual(['Here it is.']);
  });

  it('that broke off while it was heard has its time anew', () => {
    const cut: Answer = {
      ...broken(true, ['Well then, let me see now.']),
      firstTokenMs: 5500,
      sentenceMs: 1000,
    };
    const call = callerAsks([cut, good], { options }).untilQuiet();
    expect(call.heard).toEqual(['Well then, let', 'Here it is.']);
  });
});

describe('a voice that fails', () => {
  it('on the disclosure ends the call: nothing may be said without it', () => {
    const call = new ScriptedCall({
      options: { disclosure: 'This call is recorded.', firstMessage: 'Hello.' },
      voiceFails: (text) => text.includes('recorded'),
    }).start();
    call.until('hang_up');
    expect(call.ended).toMatchObject({ reason: 'provider_failed', errorCode: 'voice_failed' });
    expect(call.heard).toEqual([]);
    expect(call.all('say').filter(({ text }) => text.includes('recorded'))).toHaveLength(2);
  });

  it('on the disclosure and the first message says them again in their order', () => {
    const failed = new Set<string>();
    const call = new ScriptedCall({
      options: { disclosure: 'This call is recorded.', firstMessage: 'Hello, this is Anna.' },
      voiceMs: (n) => [100, 200, 900, 100][n] ?? 100,
      voiceFails: (text) => failed.size < failed.add(text).size,
    }).start();
    expect(call.untilQuiet().heard).toEqual(['This call is recorded.', 'Hello, this is Anna.']);
  });

  it('on a filler is not missed', () => {
    const call = callerAsks([{ ...good, firstTokenMs: 3000 }], {
      voiceFails: (text) => text.includes('moment'),
      settings: { preemptive_generation: 'off' },
    });
    expect(call.untilQuiet().heard).toEqual(['Here it is.']);
  });

  it('on the goodbye still ends the call for its reason', () => {
    const call = new ScriptedCall({ voiceFails: (text) => text.includes('Goodbye') }).start();
    call.until('hang_up');
    expect(call.ended?.reason).toBe('silence_timeout');
  });
});
