import type { ExplainedCall } from '@voice/shared/contracts/decisions';
import { describe, expect, it } from 'vitest';
import { explainLog } from './explained-log.js';
import { tool } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

const GREETING = 'Hello, how can I help you with your table for tonight or tomorrow?';

/** A call in which the caller listens, interrupts, coughs, and is answered with the help of a tool. */
function recorded(): string[] {
  const call = new ScriptedCall({
    options: { firstMessage: GREETING },
    settings: { preemptive_generation: 'off', fillers: [] },
    model: (n) =>
      n === 0
        ? { sentences: [], toolCalls: [tool('look', { arguments: '{"card":"4111"}' })] }
        : { sentences: ['There is one at six, or one at eight if you would rather come late.'] },
    toolResult: () => ({ ok: true, result: 'secret table' }),
  });
  call.start().until('play').run(600);
  call.callerSays('I need a table');
  call.until('generate').until('generate').until('play').run(600);
  call.callerCoughs(300);
  call.untilQuiet();
  return [JSON.stringify({ options: call.options }), ...call.log.map((decision) => JSON.stringify(decision))];
}

function explained(lines: readonly string[]): ExplainedCall & { readonly pauses: number } {
  const steps = explainLog(lines);
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next();
    if (done) return { ...value, pauses };
  }
}

describe('the explanation of a recorded call', () => {
  const lines = recorded();
  const call = explained(lines);
  const of = (rule: string) => call.decisions.filter((decision) => decision.rule === rule);

  it('says why the agent was interrupted: how long, by which words, and from where on', () => {
    const [pause] = of('barge_in_pause');
    expect(pause?.known).toMatch(/^The caller had spoken for \d+ ms while the agent spoke; from 120 ms on/);
    const [interruption] = of('interruption');
    expect(interruption?.known).toMatch(
      /spoken for \d+ ms and said “I” \(1 word\) while the agent spoke; 2 words, or fewer and 400 ms/,
    );
    expect(interruption?.outcome).toMatch(/^The agent falls silent; its answer is broken off/);
    expect(interruption!.at_ms).toBeGreaterThan(pause!.at_ms);
  });

  it('says why the caller’s turn was over, and what was understood', () => {
    const [end] = of('end_of_turn');
    expect(end?.known).toMatch(
      /^“I need a table”, \d+ ms after the caller’s last sound: the pause that ends a turn had passed \(400 ms/,
    );
    expect(end?.outcome).toMatch(/taken to have said “I need a table”; the agent begins its answer/);
  });

  it('says why the agent went on after a sound without words', () => {
    const [resumed] = of('false_interruption');
    expect(resumed?.known).toMatch(/^No word came with the caller’s sound/);
    expect(resumed?.outcome).toMatch(/^The agent goes on from \d+\.\d s of its turn\.$/);
  });

  it('names tools, and keeps what they were given and answered to itself', () => {
    expect(of('tool').map(({ outcome }) => outcome)).toContain('The tool look runs.');
    expect(JSON.stringify(call)).not.toMatch(/4111|secret table/);
  });

  it('is in order, leaves out what led to timers alone, and gives way in between', () => {
    const steps = call.decisions.map(({ step }) => step);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(call.steps).toBe(lines.length - 1);
    expect(call.decisions.length).toBeLessThan(call.steps);
    expect(call.pauses).toBe(Math.floor(call.steps / 25));
    expect(call.truncated).toBe(false);
  });

  it('finds nothing that today’s rules would do otherwise', () => {
    expect(call.different).toBe(0);
    expect(call.decisions.filter(({ today }) => today !== null)).toEqual([]);
  });

  it('marks what another policy does otherwise, with what it does', () => {
    const strict = lines.map((line) =>
      line.replace('"barge_in_min_speech_ms":400', '"barge_in_min_speech_ms":600'),
    );
    const { different, decisions } = explained(strict);
    expect(different).toBeGreaterThan(0);
    const [first, second, third] = decisions.filter(({ today }) => today !== null);
    // The second word alone would do it, a moment later; what the agent had said until then is not known.
    expect(first).toMatchObject({ rule: 'interruption', today: '' });
    expect(second).toMatchObject({ known: 'The agent was silenced.', today: '' });
    expect(third).toMatchObject({ outcome: '', today: expect.stringMatching(/^The agent falls silent/) });
  });

  it('is refused for what is no decision log', () => {
    expect(() => explained(['nonsense'])).toThrow('line 1 of the decision log: not JSON');
  });
});
