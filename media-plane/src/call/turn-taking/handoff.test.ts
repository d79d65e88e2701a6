import { turnTakingSettings } from '@voice/shared/contracts/agent';
import { describe, expect, it } from 'vitest';
import type { NextAgent } from './next-agent.js';
import { type Answer, tool } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

const plain = { preemptive_generation: 'off' as const, fillers: [] };
const colleague = tool('colleague', { kind: 'transfer_to_agent' });
const billing: NextAgent = {
  settings: turnTakingSettings.parse({ ...plain, silence_prompts: ['Sind Sie noch da?'] }),
  language: 'de-DE',
  hearsWords: true,
  silenceTimeoutMs: 3000,
};

/** A call whose agent is asked something and hands the caller over; the other agent is ready after `readyMs`. */
function handingOver(answers: readonly Answer[], { readyMs = 300, settings = {} } = {}): ScriptedCall {
  const call = new ScriptedCall({
    settings: { ...plain, ...settings },
    options: { maxDurationMs: 120_000, turnDeadlineMs: 6000 },
    model: (n) => answers[Math.min(n, answers.length - 1)] as Answer,
    toolMs: () => readyMs,
    toolResult: () => ({ ok: true, result: 'You are Billing now.' }),
  });
  call.start().run(1000);
  call.callerSays('My invoice is wrong');
  call.until('run_tool');
  call.send({ type: 'handoff_ready', agent: billing }, Math.max(1, readyMs - 1));
  return call;
}

describe('a handoff to another agent', () => {
  it('comes after what the agent says; the next agent answers by what it was given', () => {
    const call = handingOver([
      { sentences: ['I connect you with billing.'], toolCalls: [colleague] },
      { sentences: ['Billing here.'] },
    ]);
    call.untilQuiet();
    expect(call.trace()).toEqual([
      'remember caller "My invoice is wrong"',
      'generate 1 "My invoice is wrong"',
      'play 1',
      'remember agent "I connect you with billing."',
      'run_tool colleague of 1',
      'hand_over',
      'generate 2 ""',
      'play 2',
      'remember agent "Billing here."',
    ]);
    expect(call.history.at(-2)).toEqual({
      role: 'tool',
      toolCallId: 'call_colleague',
      text: 'You are Billing now.',
    });
  });

  it("changes language, patience and settings, and leaves the call's own limits as they are", () => {
    const call = handingOver([{ sentences: [], toolCalls: [colleague] }, { sentences: ['Billing here.'] }]);
    call.until('play');
    expect(call.state.options.turnDeadlineMs).toBeUndefined();
    expect(call.state.options).toMatchObject({
      language: 'de-DE',
      silenceTimeoutMs: 3000,
      maxDurationMs: 120_000,
    });
    call.until('say');
    expect(call.trace().at(-1)).toBe('say 3 "Sind Sie noch da?"');
  });

  it('waits until a caller who speaks has finished, and then the next agent answers', () => {
    const call = handingOver([{ sentences: [], toolCalls: [colleague] }, { sentences: ['Billing here.'] }], {
      readyMs: 600,
    });
    call.callerSays('and it is the third time already');
    call.until('hand_over');
    const handedOver = call.trace();
    expect(handedOver.slice(handedOver.indexOf('run_tool colleague of 1'))).toEqual([
      'run_tool colleague of 1',
      'remember caller "and it is the third time already"',
      'hand_over',
      expect.stringMatching(/^generate 2/),
    ]);
    call.untilQuiet();
    expect(call.trace().filter((line) => line.startsWith('generate'))).toHaveLength(2);
  });

  it('lets a filler that is heard be heard to its end', () => {
    const call = handingOver([{ sentences: [], toolCalls: [colleague] }, { sentences: ['Billing here.'] }], {
      readyMs: 1700,
      settings: { fillers: ['One moment, please.'], filler_delay_ms: 1000 },
    });
    call.untilQuiet();
    const trace = call.trace();
    expect(trace.indexOf('hand_over')).toBeGreaterThan(trace.indexOf('remember agent "One moment, please."'));
    expect(trace.at(-1)).toBe('remember agent "Billing here."');
  });

  it('is not done when the caller interrupts what announces it', () => {
    const call = new ScriptedCall({
      settings: plain,
      model: (n) =>
        n === 0
          ? {
              sentences: ['I connect you with our colleagues in billing now, please hold on.'],
              toolCalls: [colleague],
            }
          : { sentences: ['All right, I stay.'] },
    });
    call.start().run(1000);
    call.callerSays('My invoice is wrong');
    call.until('play').run(900);
    call.callerSays('no wait I want to stay with you');
    call.untilQuiet();
    expect(call.trace().some((line) => line.startsWith('run_tool'))).toBe(false);
    expect(call.trace().at(-1)).toBe('remember agent "All right, I stay."');
  });

  it('is not done in a call that ends', () => {
    const call = handingOver([{ sentences: [], toolCalls: [colleague] }]);
    call.send({ type: 'limit_reached', limit: 'max_duration' });
    call.untilQuiet();
    expect(call.ended).toMatchObject({ reason: 'max_duration' });
    expect(call.trace()).not.toContain('hand_over');
  });
});
