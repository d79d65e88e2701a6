import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from './recorded-decisions.js';
import { replay } from './replay.js';
import { ScriptedCall } from './testing/scripted-call.js';

function recordedCall(): string[] {
  const call = new ScriptedCall({ options: { firstMessage: 'Hello, how can I help?' } }).start().untilQuiet();
  call.callerSays('I need a table');
  call.until('hang_up');
  return [JSON.stringify({ options: call.options }), ...call.log.map((decision) => JSON.stringify(decision))];
}

describe('the replay of a recorded call', () => {
  it('finds no difference under the rules that it was decided by', () => {
    const lines = recordedCall();
    expect(replay([...lines, ''])).toEqual({ steps: lines.length - 1, differences: [] });
  });

  it('shows the decision that would be another one today', () => {
    const lines = recordedCall().map((line) =>
      line.replace('"min_endpointing_ms":400', '"min_endpointing_ms":500'),
    );
    const { differences } = replay(lines);
    const first = differences[0];
    expect(first?.event.type).toBe('transcript');
    expect(first?.recorded).toContainEqual(
      expect.objectContaining({ type: 'set_timer', name: 'endpointing' }),
    );
    const times = [first?.recorded, first?.today].map((effects) =>
      effects?.find((effect) => effect.type === 'set_timer' && effect.name === 'endpointing'),
    );
    expect(times[1]).toMatchObject({ at: (times[0] as { at: number }).at + 100 });
  });

  it.each(EVENT_TYPES)('reads a log that has a %s', (type) => {
    // After the end nothing follows, so the event needs none of its fields.
    const late = JSON.stringify({ event: { type, at: 900_000 }, effects: [] });
    expect(replay([...recordedCall(), late]).differences).toEqual([]);
  });

  it.each([
    [[], 'empty'],
    [['nonsense'], 'line 1 of the decision log: not JSON'],
    [['{"event":{}}'], 'line 1'],
    [[...recordedCall().slice(0, 1), '{"event":{"type":"moonrise","at":1},"effects":[]}'], 'line 2'],
  ])('refuses what is no decision log', (lines, reason) => {
    expect(() => replay(lines)).toThrow(reason);
  });
});
