import { describe, expect, it } from 'vitest';
import { tool } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';
import { timelineOf } from './timeline.js';

function recorded(): string[] {
  const call = new ScriptedCall({
    options: { firstMessage: 'Hello, how can I help?' },
    settings: { preemptive_generation: 'off', fillers: [] },
    model: (n) =>
      n === 0 ? { sentences: [], toolCalls: [tool('look')] } : { sentences: ['There is one at six.'] },
    toolResult: () => ({ ok: true, result: `a table\nat ${'six '.repeat(100)}` }),
  });
  call.start().untilQuiet();
  call.callerSays('I need a table');
  call.until('generate').until('generate').untilQuiet();
  return [JSON.stringify({ options: call.options }), ...call.log.map((decision) => JSON.stringify(decision))];
}

describe('the timeline of a recorded call', () => {
  const lines = timelineOf(recorded());

  it('has what happened and what was done, with the time, in order', () => {
    expect(lines[0]).toBe('    0.000 s  call_started → say 1 "Hello, how can I help?"');
    const words = lines.map((line) => line.replace(/^ +\d+\.\d{3} s {2}/, ''));
    expect(words).toContainEqual(expect.stringMatching(/→ remember caller "I need a table"; generate 2/));
    expect(words).toContain('tool_call look {} → run_tool look of 2');
    expect(words).toContainEqual(expect.stringContaining('remember agent "There is one at six."'));
    const times = lines.map((line) => Number.parseFloat(line));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('leaves out what led to nothing but timers, and cuts what is long', () => {
    expect(lines.join('\n')).not.toContain('set_timer');
    expect(lines.some((line) => line.includes('playback turn='))).toBe(false);
    const result = lines.find((line) => line.includes('tool_finished'));
    expect(result).toMatch(/tool_finished call_look ok: a table at six .+…/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(300);
  });

  it('refuses what is no decision log', () => {
    expect(() => timelineOf(['nonsense'])).toThrow('line 1 of the decision log: not JSON');
  });
});
