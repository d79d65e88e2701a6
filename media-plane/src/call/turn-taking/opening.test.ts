import { describe, expect, it } from 'vitest';
import { agentPhase } from './agent-phase.js';
import { ScriptedCall } from './testing/scripted-call.js';

const disclosure = 'This call is recorded.';
const firstMessage = 'Hello, this is Anna. How can I help?';

describe('the beginning of a call', () => {
  it('prepares disclosure and first message at once and says them one after the other', () => {
    const call = new ScriptedCall({ options: { disclosure, firstMessage } }).start();
    expect(call.trace()).toEqual([
      'say 1 uninterruptible "This call is recorded."',
      'say 2 "Hello, this is Anna. How can I help?"',
    ]);
    call.untilQuiet();
    expect(call.trace(2)).toEqual([
      'play 1',
      'remember agent "This call is recorded."',
      'play 2',
      'remember agent "Hello, this is Anna. How can I help?"',
    ]);
    expect(call.timeOf('play', (effect) => effect.type === 'play' && effect.turn === 2)).toBe(1300);
    expect(call.transcript.map(({ index }) => index)).toEqual([0, 1]);
  });

  it('begins with the disclosure also when the first message is ready before it', () => {
    const call = new ScriptedCall({
      options: { disclosure, firstMessage },
      voiceMs: (n) => (n === 0 ? 500 : 50),
    }).start();
    call.until('play');
    expect(call.now).toBe(500);
    expect(call.all('play')).toEqual([{ type: 'play', turn: 1 }]);
  });

  it('waits for the caller where there is nothing to say, and asks after a silence', () => {
    const call = new ScriptedCall().start();
    expect(agentPhase(call.state)).toBe('idle');
    call.run(7999);
    expect(call.trace()).toEqual([]);
    call.run(1);
    expect(call.trace()).toEqual(['say 1 "Are you still there?"']);
  });

  it('does not let the caller cut the disclosure, and answers afterwards what was said over it', () => {
    const call = new ScriptedCall({
      options: { disclosure: `${disclosure} ${disclosure} ${disclosure}` },
    }).start();
    call.run(500);
    call.callerSays('Who is calling me');
    call.until('generate');
    expect(call.all('pause')).toEqual([]);
    expect(call.all('clear')).toEqual([]);
    expect(call.now).toBe(100 + 12 * 300);
    expect(call.history.map((entry) => entry.role)).toEqual(['assistant', 'user']);
    expect(call.trace().at(-1)).toBe('generate 2 "Who is calling me"');
  });

  it('takes the first message as the answer to a hello over the disclosure', () => {
    const call = new ScriptedCall({ options: { disclosure, firstMessage } }).start();
    call.run(200);
    call.callerSays('Hello?');
    call.untilQuiet().run(1000);
    expect(call.trace(2)).toEqual([
      'play 1',
      'remember agent "This call is recorded."',
      'remember caller "Hello?"',
      'play 2',
      'remember agent "Hello, this is Anna. How can I help?"',
    ]);
    expect(call.all('generate')).toEqual([]);
  });

  it('answers more than a hello over the disclosure after the first message', () => {
    const call = new ScriptedCall({ options: { disclosure, firstMessage } }).start();
    call.run(100);
    call.callerSays('Do not call me again');
    call.until('generate');
    expect(call.trace().slice(-3)).toEqual([
      'play 2',
      'remember agent "Hello, this is Anna. How can I help?"',
      'generate 3 "Do not call me again"',
    ]);
  });
});
