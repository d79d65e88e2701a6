import type { LiveEvent } from '@voice/shared/contracts/live-events';
import { describe, expect, it } from 'vitest';
import { decide, initialState } from '../turn-taking/decide.js';
import { tool } from '../turn-taking/testing/script.js';
import { ScriptedCall } from '../turn-taking/testing/scripted-call.js';
import { LiveEventMapper } from './live-event-mapper.js';

const firstMessage = 'Good morning, this is Anna from the bakery.';

/** What a call publishes, by its own log. */
function mapped(call: ScriptedCall): LiveEvent[] {
  const mapper = new LiveEventMapper();
  let state = initialState(call.options);
  return call.log.flatMap(({ event }) => {
    state = decide(state, event).state;
    return [...mapper.next(event, state)];
  });
}

const texts = (events: readonly LiveEvent[], of: 'caller' | 'agent') =>
  events.flatMap((event) =>
    event.type === 'transcript' && event.role === of ? [`${event.text}${event.final ? ' (final)' : ''}`] : [],
  );
const states = (events: readonly LiveEvent[]) =>
  events.flatMap((event) => (event.type === 'state' ? [event.state] : []));

describe('what a live call publishes of the moment', () => {
  it('is the agent’s state, on change only', () => {
    const call = new ScriptedCall({ options: { firstMessage } }).start().untilQuiet();
    call.callerSays('I want some cake');
    call.untilQuiet();
    expect(states(mapped(call))).toEqual([
      'thinking',
      'speaking',
      'listening',
      'thinking',
      'speaking',
      'listening',
    ]);
  });

  it('is the caller’s words as they grow, and once as final', () => {
    const call = new ScriptedCall().start();
    call.callerSays('I want some cake');
    call.untilQuiet();
    expect(texts(mapped(call), 'caller')).toEqual([
      'I',
      'I want',
      'I want some',
      'I want some cake',
      'I want some cake (final)',
    ]);
  });

  it('is the agent’s sentences while they are spoken, and never a speculative answer', () => {
    const call = new ScriptedCall({
      options: { firstMessage: '' },
      model: () => ({ sentences: ['We have cake.', 'Which one?'], sentenceMs: 600 }),
    }).start();
    call.callerSays('I want some cake');
    call.untilQuiet();
    expect(texts(mapped(call), 'agent')).toEqual([
      'We have cake.',
      'We have cake. Which one?',
      'We have cake. Which one? (final)',
    ]);
  });

  it('is what was heard of an interrupted turn', () => {
    const call = new ScriptedCall({ options: { firstMessage } }).start().until('play').run(1000);
    call.callerSays('No I do not want any cake');
    call.untilQuiet();
    expect(texts(mapped(call), 'agent').slice(0, 2)).toEqual([firstMessage, 'Good morning, this (final)']);
    expect(states(mapped(call)).slice(0, 4)).toEqual(['thinking', 'speaking', 'listening', 'speaking']);
  });

  it('is a tool when it begins to run, once', () => {
    const call = new ScriptedCall({
      model: (n) => (n === 0 ? { sentences: [], toolCalls: [tool('find_slots')] } : { sentences: ['Ten.'] }),
      toolMs: () => 2000,
    }).start();
    call.callerSays('When are you open today');
    call.untilQuiet();
    const called = mapped(call).filter(({ type }) => type === 'tool_call');
    expect(called).toMatchObject([{ tool_call_id: 'call_find_slots', name: 'find_slots' }]);
  });

  it('is an error when a turn cannot be spoken', () => {
    const call = new ScriptedCall({ model: () => ({ sentences: [], fails: { retryable: false } }) }).start();
    call.callerSays('Hello there my friend');
    call.untilQuiet();
    expect(mapped(call)).toContainEqual(expect.objectContaining({ type: 'error', code: 'model_failed' }));
  });

  it('is nothing where nothing changes', () => {
    const mapper = new LiveEventMapper();
    const call = new ScriptedCall();
    const event = { type: 'speech_stopped', stoppedAt: 0, at: 0 } as const;
    mapper.next(event, call.state);
    expect(mapper.next(event, call.state)).toHaveLength(0);
  });
});
