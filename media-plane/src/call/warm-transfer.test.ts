import { agentTool } from '@voice/shared/contracts/agent';
import { OUTCOME_LIMIT_MS, RING_SECONDS, TRANSFER_LIMIT_MS } from '@voice/shared/contracts/transfer-times';
import type { CallCommand } from '@voice/shared/contracts/worker';
import { describe, expect, it } from 'vitest';
import type { LlmEvent } from '../providers/llm/port.js';
import { CascadedStage } from './testing/cascaded-stage.js';

const BRIEFING = 'Ada Brown, about an order that has not come.';

/** A call whose agent has asked for a warm transfer; then it answers as given. */
async function transferring(...answers: (readonly LlmEvent[] | string)[]): Promise<CascadedStage> {
  const call = {
    id: 't1',
    name: 'transfer_call',
    arguments: JSON.stringify({ destination: 'sales', briefing: BRIEFING }),
  };
  const stage = new CascadedStage({
    answers: [
      [
        { type: 'text', delta: 'One moment.' },
        { type: 'tool_call', call },
      ],
      ...answers,
    ],
    tools: [agentTool.parse({ type: 'transfer_call', transfer_type: 'warm' })],
    agent: { transfer_destinations: [{ name: 'sales', phone_number: '+15005550001' }] },
  });
  await stage.pass(200);
  await stage.callerSays('Put me through to sales, please.');
  await stage.pass(3000);
  return stage;
}

const outcome = (stage: CascadedStage, ok: boolean, message: string) =>
  stage.call.command({
    command: { kind: 'transfer_result', tool_call_id: 't1', ok, message },
  } as CallCommand);

const spoken = (stage: CascadedStage) => stage.turns().at(-1);

describe('a warm transfer that the agent asks for', () => {
  it('is asked for with its briefing and a deadline, after what announces it was heard', async () => {
    const stage = await transferring();
    expect(stage.turns().slice(-2)).toEqual([
      'caller: Put me through to sales, please.',
      'agent: One moment.',
    ]);
    const [wish] = stage.of('transfer_requested');
    expect(wish).toMatchObject({
      destination: '+15005550001',
      transfer_type: 'warm',
      briefing: BRIEFING,
    });
    expect(wish!.give_up_at! - stage.clock.now()).toBeGreaterThan(RING_SECONDS * 1000);
  });

  it('comes back with its reason, which the model reads and the agent says', async () => {
    const stage = await transferring('Sales is on another call. Shall I take a note?');
    outcome(stage, false, 'Not transferred (busy): the human is on another call.');
    await stage.pass(4000);
    expect(stage.model.requests.at(-1)?.messages.at(-1)).toMatchObject({
      role: 'tool',
      toolCallId: 't1',
      content: expect.stringContaining('(busy)'),
    });
    expect(spoken(stage)).toBe('agent: Sales is on another call. Shall I take a note?');
    expect(stage.of('tool_execution')).toMatchObject([{ execution: { status: 'failed' } }]);
    expect(stage.over).toBe(false);
  });

  it('leaves the caller with an agent that answers while the phone rings', async () => {
    const stage = await transferring('Their phone is ringing.', 'Nobody is there, I am sorry.');
    await stage.callerSays('Is anybody there?');
    await stage.pass(3000);
    expect(spoken(stage)).toBe('agent: Their phone is ringing.');
    outcome(stage, false, 'Not transferred (no_answer): the human did not answer.');
    await stage.pass(3000);
    expect(stage.model.requests.at(-1)?.messages.at(-1)?.content).toContain('(no_answer)');
    expect(spoken(stage)).toBe('agent: Nobody is there, I am sorry.');
  });

  it('is waited for as long as the caller may still be brought over, then ends the call as transferred', async () => {
    const stage = await transferring();
    await stage.pass(TRANSFER_LIMIT_MS - 3000);
    expect(stage.of('tool_execution')).toEqual([]);
    outcome(stage, true, 'The call is transferred.');
    await stage.pass(100);
    expect(stage.of('ended')).toMatchObject([{ end_reason: 'transferred' }]);
  });

  it('of which nothing is known in the end leaves the caller with the agent', async () => {
    const stage = await transferring('I could not reach them.');
    await stage.pass(TRANSFER_LIMIT_MS + OUTCOME_LIMIT_MS + 2000);
    expect(stage.of('tool_execution')).toMatchObject([{ execution: { status: 'timed_out' } }]);
    expect(spoken(stage)).toBe('agent: I could not reach them.');
    expect(stage.over).toBe(false);
  });

  it('of a caller who hangs up meanwhile is cancelled', async () => {
    const stage = await transferring();
    stage.line.listener?.onClosed();
    await stage.pass(20);
    expect(stage.of('tool_execution')).toMatchObject([{ execution: { status: 'cancelled' } }]);
    expect(stage.over).toBe(true);
    expect(outcome(stage, true, 'The call is transferred.')).toBe(false);
  });
});
