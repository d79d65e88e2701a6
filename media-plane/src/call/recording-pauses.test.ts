import { agentTool } from '@voice/shared/contracts/agent';
import { newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { testCallPlan } from '../testing/call-plan.js';
import { CallStage } from '../testing/call-stage.js';
import { ScriptedLanguageModel, scriptedConversation, scriptedVoice } from '../testing/scripted-providers.js';
import type { CallRecorder } from './call-environment.js';

/** A recorder that notes who pauses it. */
function notedRecorder(): CallRecorder & { readonly log: string[]; readonly resumedAt: number[] } {
  const reasons = new Set<string>();
  const log: string[] = [];
  const resumedAt: number[] = [];
  return {
    log,
    resumedAt,
    caller: () => {},
    agent: () => {},
    pause: (reason) => {
      reasons.add(reason);
      log.push(`pause ${reason}`);
    },
    resume: (reason, atMs) => {
      resumedAt.push(atMs);
      reasons.delete(reason);
      log.push(`resume ${reason}`);
    },
    get isPaused() {
      return reasons.size > 0;
    },
    finish: async () => ({ durationMs: 0 }),
  };
}

const charge = agentTool.parse({
  type: 'http',
  name: 'charge_card',
  url: 'https://example.com/charge',
  sensitive: true,
});

function stageOf() {
  const recorder = notedRecorder();
  const plan = testCallPlan({}, { first_message: '', tools: [charge] });
  const call = { id: 't1', name: 'charge_card', arguments: '{"card":"4242"}' };
  const model = new ScriptedLanguageModel([[{ type: 'tool_call', call }], 'It is paid.']);
  const stage = new CallStage({
    plan,
    recorder,
    createConversation: ({ clock, recogniser }) =>
      scriptedConversation(plan, clock, { recogniser, model, voice: scriptedVoice() }),
  });
  return { stage, recorder };
}

const command = (kind: 'pause_recording' | 'resume_recording') => ({
  command_id: newId(),
  command: { kind },
});

describe('a recording', () => {
  it('pauses while a sensitive tool runs, whose arguments and result stay out of the record', async () => {
    const { stage, recorder } = stageOf();
    await stage.pass(200);
    await stage.callerSays('Charge my card.');
    await stage.pass(3000);
    expect(recorder.log).toEqual(['pause t1', 'resume t1']);
    expect(stage.turns().at(-1)).toBe('agent: It is paid.');
    expect(JSON.stringify(stage.of('tool_execution'))).not.toContain('4242');
    expect(JSON.stringify(stage.of('tool_execution'))).not.toContain('shipped');
    const decided = JSON.stringify(stage.decided);
    expect(decided).toContain('charge_card');
    for (const secret of ['4242', 'shipped']) expect(decided).not.toContain(secret);
    expect(stage.of('notice').map(({ code }) => code)).toEqual(['recording_paused', 'recording_resumed']);
  });

  it('is resumed at the time of the call, though nothing of the caller came meanwhile', async () => {
    const { stage, recorder } = stageOf();
    await stage.pass(200);
    stage.call.command(command('pause_recording'));
    await stage.clock.advanceAsync(500);
    stage.call.command(command('resume_recording'));
    expect(recorder.resumedAt).toEqual([700]);
  });

  it('stays paused by command when a sensitive tool ends, until it is resumed', async () => {
    const { stage, recorder } = stageOf();
    await stage.pass(200);
    stage.call.command(command('pause_recording'));
    await stage.callerSays('Charge my card.');
    await stage.pass(3000);
    expect(recorder.isPaused).toBe(true);
    stage.call.command(command('resume_recording'));
    expect(recorder.isPaused).toBe(false);
    expect(stage.of('notice').map(({ code }) => code)).toEqual(['recording_paused', 'recording_resumed']);
  });
});
