import type { OpenMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import type { McpTool } from '@voice/shared/agent-tools/mcp/offered-tools';
import { heardKeys } from '@voice/shared/audio/testing/heard-keys';
import { agentTool } from '@voice/shared/contracts/agent';
import type { CallEventBody } from '@voice/shared/contracts/call-events';
import { newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { ProviderError } from '../providers/provider-error.js';
import { CascadedStage } from './testing/cascaded-stage.js';

const toolCall = (name: string) => ({ id: 't1', name, arguments: '{"order":"A7"}' });

describe('a call', () => {
  it('begins with the disclosure, then the first message', async () => {
    const stage = new CascadedStage({ disclosure: 'I am an AI.', firstMessage: 'How can I help?' });
    await stage.pass(3000);
    expect(stage.turns()).toEqual(['agent: I am an AI.', 'agent: How can I help?']);
    expect(stage.of('media_started')).toEqual([
      { kind: 'media_started', carrier_call_id: 'CA1', stream_id: 'MZ1' },
    ]);
  });

  it("knows an operator's note that came before its line, from its first generation on", async () => {
    const stage = new CascadedStage({ answers: ['Good morning!'], notes: ['Be brief.'] });
    await stage.pass(1000);
    await stage.callerSays('Hello?');
    await stage.pass(3000);
    const asked = JSON.stringify(stage.model.requests[0]?.messages);
    expect(asked).toContain('Be brief.');
    expect(stage.turns()).toContain('agent: Good morning!');
  });

  it('answers what the caller said, and measures how long that took', async () => {
    const stage = new CascadedStage({ firstMessage: 'Hello there.', answers: ['We are open until six.'] });
    await stage.pass(1500);
    await stage.callerSays('When do you close?');
    await stage.pass(3000);
    expect(stage.turns()).toEqual([
      'agent: Hello there.',
      'caller: When do you close?',
      'agent: We are open until six.',
    ]);
    expect(stage.model.requests.at(-1)?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Hello there.' },
      { role: 'user', content: 'When do you close?' },
    ]);
    const answer = stage.of('turn_metrics').at(-1)!.metrics;
    expect(answer.response_latency_ms).toBeGreaterThanOrEqual(100);
    expect(answer.response_latency_ms).toBeLessThanOrEqual(500);
    expect(answer.stt_final_ms).toBeGreaterThanOrEqual(80);
    expect(answer.stt_final_ms).toBeLessThanOrEqual(answer.response_latency_ms!);
    expect(stage.recogniser.finalized).toBe(1);
  });

  it('falls silent for a caller who interrupts, and remembers what was heard', async () => {
    const stage = new CascadedStage({
      firstMessage: 'Hello there.',
      answers: ['Our opening hours are from nine in the morning until six in the evening.', 'Goodbye then.'],
    });
    await stage.pass(1500);
    await stage.callerSays('When do you close?');
    await stage.pass(1000);
    stage.recogniser.speechStarted();
    await stage.pass(200);
    const silentAt = stage.carrier.length;
    stage.recogniser.transcribes('no wait stop', false);
    await stage.pass(400);
    expect(stage.carrier.slice(silentAt - 1)).not.toContain('audio');
    stage.recogniser.speechStopped();
    await stage.pass(100);
    stage.recogniser.transcribes('no wait stop please');
    await stage.pass(3000);
    const [, , cut, caller, next] = stage.turns();
    expect(cut).toMatch(/^agent: Our .+ —$/);
    expect('Our opening hours are from nine in the morning until six in the evening.').toContain(
      cut!.slice(7, -2),
    );
    expect([caller, next]).toEqual(['caller: no wait stop please', 'agent: Goodbye then.']);
    const heard = stage.model.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === 'assistant')
      .at(-1);
    expect(heard).toEqual({ role: 'assistant', content: cut!.slice(7, -2) });
    const bargeIn = stage.of('turn_metrics').find(({ metrics }) => metrics.barge_in_latency_ms !== null);
    expect(bargeIn?.metrics.barge_in_latency_ms).toBeLessThanOrEqual(200);
  });

  it('runs a tool and answers with its result', async () => {
    const stage = new CascadedStage({
      answers: [
        [{ type: 'tool_call', call: { id: 't1', name: 'unknown_tool', arguments: '{}' } }],
        'I could not find that.',
      ],
    });
    await stage.pass(200);
    await stage.callerSays('Where is my order?');
    await stage.pass(4000);
    expect(stage.turns()).toEqual(['caller: Where is my order?', 'agent: I could not find that.']);
    expect(stage.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', toolCallId: 't1' });
  });

  it("offers its MCP servers' tools from when they are known, and ends with them", async () => {
    const lookUp = {
      name: 'shop_look_up',
      remoteName: 'look_up',
      description: 'Looks up an order.',
      parameters: { type: 'object', properties: {} },
      sideEffects: false,
      timeoutMs: 1000,
    };
    const tools: McpTool[] = [];
    const called: unknown[] = [];
    let closed = false;
    let notify: Parameters<OpenMcpTools>[1] = () => {};
    const stage = new CascadedStage({
      answers: ['One moment.', [{ type: 'tool_call', call: toolCall('shop_look_up') }], 'It was shipped.'],
      openMcpTools: (_, onNotice) => {
        notify = onNotice;
        return {
          tools,
          ready: Promise.resolve(),
          begin: () => {},
          call: async (tool, args) => {
            called.push([tool.remoteName, args]);
            return 'shipped';
          },
          close: () => {
            closed = true;
          },
        };
      },
    });
    await stage.pass(200);
    await stage.callerSays('Where is my order?');
    await stage.pass(2000);
    tools.push(lookUp);
    notify({ code: 'mcp_server_unavailable', message: 'The tools of crm are not available.' });
    await stage.callerSays('Well?');
    await stage.pass(4000);
    const offered = stage.model.requests.map((request) => request.tools.map(({ name }) => name));
    expect(offered).toEqual([['end_call'], ['end_call', 'shop_look_up'], ['end_call', 'shop_look_up']]);
    expect(called).toEqual([['look_up', { order: 'A7' }]]);
    expect(stage.of('tool_execution')).toMatchObject([
      { execution: { name: 'shop_look_up', status: 'succeeded', result: 'shipped' } },
    ]);
    expect(stage.of('notice')).toMatchObject([{ code: 'mcp_server_unavailable' }]);
    expect(stage.turns().at(-1)).toBe('agent: It was shipped.');
    stage.call.end('operator_hangup');
    expect(closed).toBe(true);
  });

  it('presses keys as tones that the other side hears, after what it says', async () => {
    const stage = new CascadedStage({
      tools: [agentTool.parse({ type: 'send_dtmf' })],
      answers: [
        [
          { type: 'text', delta: 'Pressing now.' },
          { type: 'tool_call', call: { id: 't1', name: 'send_dtmf', arguments: '{"digits":"42#"}' } },
        ],
        'There we are.',
      ],
    });
    await stage.pass(200);
    await stage.callerSays('For sales press four two');
    await stage.pass(5000);
    expect(heardKeys(stage.audio())).toBe('42#');
    expect(stage.of('tool_execution')).toMatchObject([
      { execution: { status: 'succeeded', result: 'Pressed 42#.' } },
    ]);
    expect(stage.turns().slice(1)).toEqual(['agent: Pressing now.', 'agent: There we are.']);
    expect(stage.of('turn_metrics').every(({ metrics }) => metrics.turn >= 0)).toBe(true);
  });

  it('hangs up after its goodbye was heard when the model ends the call', async () => {
    const stage = new CascadedStage({
      answers: [
        [
          { type: 'text', delta: 'Goodbye, have a nice day.' },
          { type: 'tool_call', call: { id: 't1', name: 'end_call', arguments: '{}' } },
        ],
      ],
    });
    await stage.pass(200);
    await stage.callerSays('Bye.');
    await stage.pass(1000);
    expect(stage.over).toBe(false);
    await stage.pass(2000);
    expect(stage.over).toBe(true);
    expect(stage.turns().at(-1)).toBe('agent: Goodbye, have a nice day.');
    expect(stage.of('ended')).toMatchObject([{ end_reason: 'agent_hangup', error_code: null }]);
    expect(stage.carrier.at(-1)).toBe('close');
    expect(stage.of('tool_execution').map(({ execution }) => [execution.name, execution.status])).toEqual([
      ['end_call', 'succeeded'],
    ]);
  });

  it('ends once when the carrier stops, and nothing happens afterwards', async () => {
    const stage = new CascadedStage({ firstMessage: 'Hello there.' });
    await stage.pass(300);
    stage.line.listener?.onClosed();
    stage.line.listener?.onClosed();
    await stage.pass(3000);
    expect(stage.of('ended')).toMatchObject([{ end_reason: 'caller_hangup' }]);
    expect(stage.emitted.at(-1)?.kind).toBe('ended');
    expect(stage.clock.pending).toBe(0);
  });

  it('reports at its end the usage of each provider', async () => {
    const stage = new CascadedStage({ firstMessage: 'Hello there.', answers: ['Until six.'] });
    await stage.pass(1500);
    await stage.callerSays('When do you close?');
    await stage.pass(3000);
    stage.line.listener?.onClosed();
    const [{ usage }] = stage.of('ended') as [Extract<CallEventBody, { kind: 'ended' }>];
    const source = { provider: 'scripted', model: '', fallback: false };
    expect(usage).toMatchObject({
      llm: { provider: 'scripted', input_tokens: 10, output_tokens: 5 },
      tts: { provider: 'scripted', characters: 'Hello there.'.length + 'Until six.'.length },
    });
    expect(usage.segments).toEqual([
      { kind: 'tts', ...source, characters: 22 },
      { kind: 'llm', ...source, input_tokens: 10, output_tokens: 5 },
    ]);
  });

  it('apologises when the model fails, and gives up when it goes on failing', async () => {
    const down = new ProviderError({
      provider: 'scripted',
      kind: 'llm',
      code: 'unavailable',
      message: 'The model is down.',
      retryable: false,
    });
    const stage = new CascadedStage({ answers: Array.from({ length: 12 }, () => down) });
    await stage.pass(200);
    await stage.callerSays('Hello?');
    await stage.pass(5000);
    expect(stage.over).toBe(false);
    expect(stage.turns().at(-1)).toMatch(/^agent: /);
    await stage.callerSays('Are you there?');
    await stage.pass(8000);
    expect(stage.of('ended')).toMatchObject([
      { end_reason: 'provider_failed', error_code: expect.any(String) },
    ]);
    expect(stage.of('notice')[0]).toMatchObject({ code: 'llm_unavailable' });
  });

  it("hears an operator's whisper before its next answer", async () => {
    const stage = new CascadedStage({ answers: ['Of course.'] });
    await stage.pass(200);
    expect(
      stage.call.command({ command_id: newId(), command: { kind: 'whisper', text: 'Offer a discount.' } }),
    ).toBe(true);
    await stage.callerSays('Can you do better?');
    await stage.pass(2000);
    expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain('Offer a discount.');
  });

  it('is hung up by an operator, once', async () => {
    const stage = new CascadedStage({ firstMessage: 'Hello there.' });
    const hangUp = { command_id: newId(), command: { kind: 'hang_up', reason: 'operator_hangup' } } as const;
    expect(stage.call.command(hangUp)).toBe(true);
    expect(stage.call.command(hangUp)).toBe(false);
    expect(stage.of('ended')).toMatchObject([{ end_reason: 'operator_hangup' }]);
  });
});
