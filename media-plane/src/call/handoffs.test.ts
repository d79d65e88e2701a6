import type { OpenMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import { agentTool } from '@voice/shared/contracts/agent';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { HandoffReply, HandoffRequest } from '@voice/shared/contracts/handoff';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import type { Conversation } from '../conversation/port.js';
import { RealtimeConversation } from '../conversation/realtime/realtime.js';
import type { LlmEvent } from '../providers/llm/port.js';
import { ProviderError } from '../providers/provider-error.js';
import { testCallPlan } from '../testing/call-plan.js';
import { CallStage, noMcpTools } from '../testing/call-stage.js';
import { ScriptedLanguageModel, scriptedConversation, scriptedVoice } from '../testing/scripted-providers.js';
import { ScriptedRealtime } from '../testing/scripted-realtime.js';
import { realtimeChoice } from './testing/realtime-stage.js';

const billing = testCallPlan(
  {},
  {
    name: 'Billing',
    system_prompt: 'You know invoices.',
    language: 'de-DE',
    silence_timeout_seconds: 4,
  },
).agent;
const handoffTool = agentTool.parse({
  type: 'transfer_to_agent',
  agents: [{ agent_id: billing.id, name: 'billing' }],
});
const desk = { name: 'Desk', first_message: '', tools: [agentTool.parse({ type: 'end_call' }), handoffTool] };

const wish = (args: object, id = 't1'): LlmEvent => ({
  type: 'tool_call',
  call: { id, name: 'transfer_to_agent', arguments: JSON.stringify(args) },
});
const toBilling = wish({ agent: 'billing', summary: 'Invoice 7 is wrong.', reason: 'an invoice' });
const says = (delta: string): LlmEvent => ({ type: 'text', delta });

interface Scene {
  readonly plan?: CallPlan;
  readonly answers: readonly (readonly LlmEvent[] | string)[];
  readonly billingAnswers?: readonly string[];
  readonly reply?: (request: HandoffRequest) => HandoffReply | Promise<HandoffReply>;
  /** Of the agent that takes over, where it is not a cascade. */
  readonly createBilling?: (stage: CallStage, plan: CallPlan) => Conversation;
  readonly createDesk?: (stage: CallStage, plan: CallPlan) => Conversation;
  readonly openBillingTools?: OpenMcpTools;
}

/** A call of the front desk, whose agent may hand the caller to billing; each has a model and a voice of its own. */
function atTheDesk({
  plan = testCallPlan({}, desk),
  answers,
  billingAnswers = ['Billing here.'],
  reply = () => ({ ok: true, agent: billing, credentials: {} }),
  createBilling,
  createDesk,
  openBillingTools = noMcpTools,
}: Scene) {
  const models = {
    desk: new ScriptedLanguageModel(answers),
    billing: new ScriptedLanguageModel(billingAnswers),
  };
  const voices = { desk: scriptedVoice(), billing: scriptedVoice() };
  const asked: HandoffRequest[] = [];
  const closed: string[] = [];
  const stage = new CallStage({
    plan,
    openMcpTools: (agent, onNotice) => {
      const who = agent.tools.length > 1 ? 'Desk' : 'Billing';
      const open = who === 'Billing' ? openBillingTools : noMcpTools;
      return { ...open(agent, onNotice), close: () => closed.push(who) };
    },
    createConversation: (own, _, forPlan) => {
      const who = forPlan.agent.id === billing.id ? 'billing' : 'desk';
      const create = who === 'billing' ? createBilling : createDesk;
      if (create) return create(own, forPlan);
      const { clock, recogniser } = own;
      return scriptedConversation(forPlan, clock, { recogniser, model: models[who], voice: voices[who] });
    },
    requestHandoff: async (request) => {
      asked.push(request);
      return reply(request);
    },
  });
  return { stage, models, voices, asked, closed };
}

async function callerComplains(stage: CallStage): Promise<void> {
  await stage.pass(400);
  await stage.callerSays('My invoice is wrong.');
  await stage.pass(5000);
}

describe('a call that an agent hands to another', () => {
  it('goes on with voice, model, prompt and tools of the other, who knows what was said and why', async () => {
    const { stage, models, voices, asked } = atTheDesk({ answers: [[says('I connect you.'), toBilling]] });
    await callerComplains(stage);
    expect(stage.transcript()).toEqual([
      'caller: My invoice is wrong.',
      'agent: I connect you.',
      'agent: Billing here.',
    ]);
    expect([voices.desk.spoken, voices.billing.spoken]).toEqual([['I connect you.'], ['Billing here.']]);
    expect(asked).toMatchObject([
      { agent_id: billing.id, reason: 'an invoice', summary: 'Invoice 7 is wrong.' },
    ]);
    const [request] = models.billing.requests;
    expect(request?.messages[0]?.content).toContain('You know invoices.');
    const context = JSON.stringify(request?.messages);
    expect(context).toContain('My invoice is wrong.');
    expect(context).toContain('Desk has handed the call over to you, Billing.');
    expect(context).toContain('Invoice 7 is wrong.');
    expect((request?.tools ?? []).map((tool) => tool.name)).toEqual(['end_call']);
    await stage.callerSays('Thank you.');
    await stage.pass(2000);
    expect([models.desk.requests.length, models.billing.requests.length]).toEqual([1, 2]);
  });

  it('is one call: one line, one recording, one transcript; the timeline says who speaks from when on', async () => {
    const { stage } = atTheDesk({ answers: [[says('I connect you.'), toBilling]] });
    await callerComplains(stage);
    const [handoff, ...more] = stage.of('agent_handoff');
    expect(more).toEqual([]);
    expect(handoff).toMatchObject({
      agent_id: billing.id,
      agent_name: 'Billing',
      reason: 'an invoice',
      tool_call_id: 't1',
    });
    const turns = stage.of('turn').map(({ turn }) => turn);
    expect(handoff!.at_ms).toBeGreaterThanOrEqual(turns[1]!.ended_at_ms);
    expect(handoff!.at_ms).toBeLessThanOrEqual(turns[2]!.started_at_ms);
    expect(stage.of('media_started')).toHaveLength(1);
    expect(stage.of('tool_execution').map(({ execution }) => execution.status)).toEqual(['succeeded']);
  });

  it('counts what each agent used under the agent', async () => {
    const { stage } = atTheDesk({ answers: [[says('I connect you.'), toBilling]] });
    await callerComplains(stage);
    stage.call.end('operator_hangup');
    const { usage } = stage.of('ended')[0]!;
    expect(usage.tts).toMatchObject({ characters: 'I connect you.Billing here.'.length });
    expect(usage.llm).toMatchObject({ input_tokens: 20, output_tokens: 10 });
    expect(usage.segments).toContainEqual(
      expect.objectContaining({ kind: 'tts', characters: 13, agent_id: billing.id }),
    );
    expect(usage.segments).toContainEqual(expect.not.objectContaining({ agent_id: expect.anything() }));
  });

  it('ends with every agent let go', async () => {
    const { stage, closed } = atTheDesk({ answers: [[toBilling]] });
    await callerComplains(stage);
    stage.call.end('operator_hangup');
    expect(closed).toEqual(['Desk', 'Billing']);
  });

  it.each([
    [
      'that the control plane refuses',
      { ok: false, reason: 'There is no such agent.' } as const,
      'There is no such agent.',
    ],
    ['that nobody grants', new Error('The other agent could not be asked.'), 'could not be asked'],
  ])('stays with its agent for a handoff %s; the model learns why', async (_, answer, why) => {
    const { stage, models } = atTheDesk({
      answers: [[toBilling], 'I can help you myself.'],
      reply: () => (answer instanceof Error ? Promise.reject(answer) : answer),
    });
    await callerComplains(stage);
    expect(stage.transcript().at(-1)).toBe('agent: I can help you myself.');
    expect(JSON.stringify(models.desk.requests[1]?.messages)).toContain(why);
    expect(stage.of('agent_handoff')).toEqual([]);
  });

  it('stays with its agent where the other one cannot speak at this worker', async () => {
    const { stage, models, closed } = atTheDesk({
      answers: [[toBilling], 'I can help you myself.'],
      createBilling: () => {
        const message = 'this worker has no voice acme';
        throw new ProviderError({
          provider: 'acme',
          kind: 'tts',
          code: 'unknown_provider',
          message,
          retryable: false,
        });
      },
    });
    await callerComplains(stage);
    expect(stage.transcript().at(-1)).toBe('agent: I can help you myself.');
    expect(JSON.stringify(models.desk.requests[1]?.messages)).toContain('Billing cannot speak here');
    expect(closed).toEqual(['Billing']);
  });

  it('asks nobody for an agent that the tool does not name', async () => {
    const { stage, models, asked } = atTheDesk({ answers: [[wish({ agent: 'the boss' })], 'I stay.'] });
    await callerComplains(stage);
    expect(asked).toEqual([]);
    expect(JSON.stringify(models.desk.requests[1]?.messages)).toContain('Agents: billing.');
  });

  it('is handed to one agent at a time', async () => {
    const { stage } = atTheDesk({
      answers: [[toBilling, wish({ agent: 'billing', summary: '', reason: '' }, 't2')]],
    });
    await callerComplains(stage);
    const results = stage.of('tool_execution').map(({ execution }) => [execution.status, execution.result]);
    expect(results).toContainEqual(['failed', 'The caller is already being handed over.']);
    expect(stage.of('agent_handoff')).toHaveLength(1);
  });

  it('is not handed over once it has ended; what was prepared is let go', async () => {
    let grant = () => {};
    const { stage, closed } = atTheDesk({
      answers: [[toBilling]],
      reply: () =>
        new Promise((resolve) => (grant = () => resolve({ ok: true, agent: billing, credentials: {} }))),
    });
    await callerComplains(stage);
    stage.call.end('operator_hangup');
    grant();
    await stage.pass(100);
    expect(stage.of('agent_handoff')).toEqual([]);
    expect(closed).toEqual(['Desk']);
    expect(stage.of('ended')).toHaveLength(1);
  });
});

describe('an agent whose MCP server does not answer', () => {
  /** A caller is handed to an agent whose server never answers; its notice comes when the test says so. */
  async function waiting() {
    let giveUp = () => {};
    const scene = atTheDesk({
      answers: [[toBilling], 'Yes?'],
      openBillingTools: (agent, onNotice) => {
        giveUp = () => onNotice({ code: 'mcp_server_unavailable', message: 'It did not answer in time.' });
        return { ...noMcpTools(agent, onNotice), ready: new Promise(() => {}) };
      },
    });
    await callerComplains(scene.stage);
    return { ...scene, giveUp: () => giveUp() };
  }

  it('is let go with the call, whose last event is that it ended', async () => {
    const { stage, closed, giveUp } = await waiting();
    stage.call.end('operator_hangup');
    expect(closed.sort()).toEqual(['Billing', 'Desk']);
    giveUp();
    await stage.pass(100);
    expect(stage.emitted.at(-1)?.kind).toBe('ended');
  });

  it('is let go when the handoff has taken too long; the call goes on', async () => {
    const { stage, closed } = await waiting();
    await stage.pass(10_000);
    expect(closed).toEqual(['Billing']);
    expect(stage.of('tool_execution').map(({ execution }) => execution.status)).toEqual(['timed_out']);
    expect(stage.transcript().at(-1)).toBe('agent: Yes?');
  });
});

describe('a handoff between cascade and speech to speech', () => {
  const realtime = (provider: ScriptedRealtime) => (stage: CallStage, plan: CallPlan) =>
    new RealtimeConversation({
      plan,
      choice: realtimeChoice,
      provider,
      detector: stage.recogniser.detector,
      tools: [],
      clock: stage.clock,
      log: silentLog,
      notice: () => {},
    });

  it('opens the session with what was said so far', async () => {
    const provider = new ScriptedRealtime(['Billing here.', 'You are welcome.']);
    const { stage } = atTheDesk({
      answers: [[says('I connect you.'), toBilling]],
      createBilling: realtime(provider),
    });
    await callerComplains(stage);
    expect(stage.turns().at(-1)).toBe('agent: Billing here.');
    expect(JSON.stringify(provider.session.options.history)).toContain('My invoice is wrong.');
    await stage.callerSpeaks();
    await stage.pass(2500);
    expect(stage.turns().at(-1)).toBe('agent: You are welcome.');
  });

  it('takes the words that the model learns when it has left', async () => {
    const call = {
      id: 't1',
      name: 'transfer_to_agent',
      arguments: JSON.stringify({ agent: 'billing', summary: 's', reason: 'r' }),
    };
    const provider = new ScriptedRealtime([[{ type: 'tool_call', call }]]);
    const { stage, models } = atTheDesk({ answers: [], createDesk: realtime(provider) });
    await stage.pass(400);
    await stage.callerSpeaks();
    await stage.pass(5000);
    expect(stage.turns()).toEqual(['agent: Billing here.']);
    provider.sessions[0]!.emit({ type: 'caller_transcript', item: 'i1', text: 'My invoice.', final: true });
    expect(stage.transcript()).toEqual(['caller: My invoice.', 'agent: Billing here.']);
    await stage.callerSays('Thank you.');
    await stage.pass(2000);
    expect(JSON.stringify(models.billing.requests.at(-1)?.messages)).toContain('My invoice.');
  });
});
