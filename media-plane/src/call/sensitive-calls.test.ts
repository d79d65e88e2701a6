import { describe, expect, it } from 'vitest';
import { SensitiveCalls } from './sensitive-calls.js';
import { replay } from './turn-taking/replay.js';
import { tool } from './turn-taking/testing/script.js';
import { ScriptedCall } from './turn-taking/testing/scripted-call.js';

const CARD = '4242424242424242';
const charge = tool('charge_card', { arguments: `{"card":"${CARD}"}`, endsWithCallerSpeech: true });
const lookUp = tool('look_up', { arguments: '{"order":"77"}' });

/** A call with a sensitive tool that ends, another one, and a sensitive one that the caller cuts short. */
function callWithTools(): ScriptedCall {
  const call = new ScriptedCall({
    model: (n) => {
      if (n === 0) return { sentences: [], toolCalls: [charge, lookUp] };
      if (n === 1) return { sentences: [], toolCalls: [{ ...charge, id: 'again' }] };
      return { sentences: ['Very well.'] };
    },
    toolMs: (n) => (n < 2 ? 300 : 20_000),
    toolResult: ({ name }) => ({
      ok: true,
      result: name === 'charge_card' ? `paid with ${CARD}` : 'shipped',
    }),
  });
  call.start().run(4000);
  call.callerSays('Charge my card please');
  call.until('run_tool', (effect) => effect.type === 'run_tool' && effect.call.id === 'again').run(1000);
  call.callerSays('No wait do not');
  return call.until('cancel_tool').untilQuiet();
}

describe('what sensitive tools are given and answer', () => {
  it('is withheld from the decision log, and what others are given is not', () => {
    const calls = new SensitiveCalls((name) => name === 'charge_card');
    const decisions = callWithTools().log.map(({ event, effects }) => calls.withheld(event, effects));
    const written = JSON.stringify(decisions);
    expect(written).not.toContain(CARD);
    for (const kept of ['77', 'shipped', 'charge_card', 'cancel_tool']) expect(written).toContain(kept);
  });

  it('is of no account to the rules: the log is decided again as it was', () => {
    const calls = new SensitiveCalls((name) => name === 'charge_card');
    const call = callWithTools();
    const lines = [
      { options: call.options },
      ...call.log.map(({ event, effects }) => calls.withheld(event, effects)),
    ].map((line) => JSON.stringify(line));
    expect(replay(lines)).toEqual({ steps: call.log.length, differences: [] });
  });
});
