import { describe, expect, it } from 'vitest';
import { describeEffect } from './describe-effect.js';
import type { Effect } from './effects.js';

const entry = { role: 'agent', text: 'Hello there.', heard_text: 'Hello', interrupted: false };
/** As logs and traces have them; fields that the line does not show are left out. */
const LINES: readonly [effect: object, line: string][] = [
  [{ type: 'generate', turn: 1, basis: 'Hi', speculative: false }, 'generate 1 "Hi"'],
  [{ type: 'generate', turn: 1, basis: 'Hi', speculative: 'llm' }, 'generate 1 speculative "Hi"'],
  [{ type: 'say', turn: 2, text: 'One moment.', uninterruptible: false }, 'say 2 "One moment."'],
  [
    { type: 'say', turn: 2, text: 'I am an AI.', uninterruptible: true },
    'say 2 uninterruptible "I am an AI."',
  ],
  [{ type: 'abort', turn: 3, reason: 'interrupted' }, 'abort 3 interrupted'],
  [{ type: 'commit', turn: 4 }, 'commit 4'],
  [{ type: 'play', turn: 4 }, 'play 4'],
  [{ type: 'pause', turn: 4 }, 'pause 4'],
  [{ type: 'clear', turn: 4 }, 'clear 4'],
  [{ type: 'resume', turn: 4, fromMs: 800 }, 'resume 4 from 800'],
  [{ type: 'truncate', turn: 4, heardMs: 700 }, 'truncate 4 at 700'],
  [{ type: 'remember', entry }, 'remember agent "Hello there."'],
  [{ type: 'remember', entry: { ...entry, interrupted: true } }, 'remember agent "Hello" interrupted'],
  [{ type: 'run_tool', turn: 5, call: { name: 'book' } }, 'run_tool book of 5'],
  [{ type: 'cancel_tool', turn: 5, call: { name: 'book' } }, 'cancel_tool book of 5'],
  [{ type: 'set_timer', name: 'silence', at: 9000 }, 'set_timer silence at 9000'],
  [{ type: 'cancel_timer', name: 'silence' }, 'cancel_timer silence'],
  [{ type: 'hang_up', reason: 'agent_hangup' }, 'hang_up agent_hangup'],
  [{ type: 'hang_up', reason: 'provider_failed', errorCode: 'tts' }, 'hang_up provider_failed (tts)'],
  [{ type: 'report', metric: { name: 'latency', turn: 6 } }, 'report latency 6'],
];

describe('an effect in one line', () => {
  it.each(LINES)('%j', (effect, line) => {
    expect(describeEffect(effect as Effect)).toBe(line);
  });
});
