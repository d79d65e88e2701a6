import { WITHHELD } from '@voice/shared/agent-tools/sensitive-tools';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { agentTool } from '@voice/shared/contracts/agent';
import type { CallEventBody, TurnMetrics } from '@voice/shared/contracts/call-events';
import { rootSpanId } from '@voice/shared/ids/call-trace';
import type { LlmMessage } from '@voice/shared/language-model/conversation';
import { SpanRecorder } from '@voice/shared/tracing/testing/span-recorder';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LanguageModel } from '../../providers/llm/port.js';
import type { Providers } from '../../providers/registry/registry.js';
import { testCallPlan } from '../../testing/call-plan.js';
import { CallStage } from '../../testing/call-stage.js';
import {
  ScriptedLanguageModel,
  scriptedConversation,
  scriptedVoice,
} from '../../testing/scripted-providers.js';
import { CallTraces } from './call-traces.js';
import { conversationSpanId, turnSpanId } from './turn-spans.js';

const plan = testCallPlan();
const { call_id: callId } = plan;
const ended = { kind: 'ended', end_reason: 'agent_hangup', duration_ms: 9000, error_code: null } as const;
const NO_USAGE = {
  stt: { provider: 'local', model: '', audio_ms: 0 },
  llm: { provider: 'local', model: '', input_tokens: 0, output_tokens: 0 },
  tts: { provider: 'local', model: '', characters: 0 },
};
const endedEvent: CallEventBody = { ...ended, error_message: null, usage: NO_USAGE, has_recording: false };

const METRICS: TurnMetrics = {
  turn: 2,
  end_of_turn_delay_ms: 300,
  stt_final_ms: 120,
  llm_first_token_ms: 500,
  tts_first_audio_ms: 700,
  response_latency_ms: 720,
  barge_in_latency_ms: null,
  preempted: false,
  audible_at_ms: 5720,
  silenced_at_ms: null,
};

const providersWith = (model: LanguageModel): Providers => {
  const none = () => {
    throw new Error('not asked for');
  };
  return { stt: none, llm: () => model, tts: none, realtime: none, close: async () => {} };
};

/** Runs a call with a greeting and one answer, its model observed and its events traced, as a worker does. */
async function tracedCall(recorder: SpanRecorder) {
  const model = new ScriptedLanguageModel(['Of course.']);
  let traces: CallTraces | undefined;
  const stage = new CallStage({
    plan,
    createConversation: ({ recogniser, clock }, _, prepared) => {
      traces = new CallTraces({ tracer: recorder, clock });
      const observed = traces.providers(providersWith(model), prepared).llm('scripted');
      return scriptedConversation(prepared, clock, { recogniser, model: observed, voice: scriptedVoice() });
    },
    onEmit: (body) => traces?.take(callId, body),
  });
  await stage.pass(4000);
  await stage.callerSays('I need an appointment.');
  await stage.pass(4000);
  stage.call.end('operator_hangup');
  return stage;
}

describe('the spans of a call', () => {
  let recorder: SpanRecorder;
  beforeEach(() => {
    recorder = new SpanRecorder();
  });

  it('are a conversation with its turns, and the request to the model under its turn', async () => {
    const stage = await tracedCall(recorder);
    const conversation = recorder.find('conversation');
    expect(conversation).toMatchObject({ id: conversationSpanId(callId), endedAt: stage.clock.now() });
    expect(conversation.parentId ?? rootSpanId(callId)).toBe(rootSpanId(callId));
    const turns = recorder.spans.filter(({ name }) => name === 'turn');
    expect(turns.length).toBeGreaterThanOrEqual(2);
    for (const { parentId } of turns) expect(parentId).toBe(conversation.id);

    const chat = recorder.find('chat');
    expect(turns.map(({ id }) => id)).toContain(chat.parentId);
    expect(chat).toMatchObject({
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'scripted',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.response.time_to_first_chunk': 0.02,
        'gen_ai.conversation.id': callId,
        'gen_ai.agent.id': plan.agent.id,
      },
    });
    const stages = recorder.spans
      .filter(({ parentId }) => parentId === chat.parentId)
      .map(({ name }) => name);
    expect(stages).toEqual(expect.arrayContaining(['stt', 'end_of_turn', 'llm', 'tts', 'playout', 'chat']));
  });

  it('hold no word of prompt, caller or agent unless texts are wanted', async () => {
    await tracedCall(recorder);
    const text = JSON.stringify(recorder.spans);
    for (const word of ['appointment', 'Of course', 'friendly']) expect(text).not.toContain(word);

    const open = new SpanRecorder(true);
    await tracedCall(open);
    const { attributes } = open.find('chat');
    expect(attributes?.['gen_ai.input.messages']).toContain('I need an appointment.');
    expect(attributes?.['gen_ai.output.messages']).toBe(
      JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Of course.' }] }]),
    );
  });
});

describe('the texts of requests to the model', () => {
  /** Runs a call of two answers with a tool in between that takes `toolMs`, and returns the spans' texts. */
  async function textsOf(sensitive: boolean): Promise<string> {
    const recorder = new SpanRecorder(true);
    const charge = agentTool.parse({ type: 'http', name: 'charge', url: 'https://example.com/', sensitive });
    const charged = testCallPlan({}, { tools: [charge] });
    const call = { id: 't1', name: 'charge', arguments: '{"card":"4242"}' };
    const model = new ScriptedLanguageModel([[{ type: 'tool_call', call }], 'It is paid.']);
    let traces: CallTraces | undefined;
    const stage = new CallStage({
      plan: charged,
      createConversation: ({ recogniser, clock }, _, prepared) => {
        traces = new CallTraces({ tracer: recorder, clock });
        const observed = traces.providers(providersWith(model), prepared).llm('scripted');
        return scriptedConversation(prepared, clock, { recogniser, model: observed, voice: scriptedVoice() });
      },
      onEmit: (body) => traces?.take(charged.call_id, body),
    });
    await stage.pass(4000);
    await stage.callerSays('Charge my card.');
    await stage.pass(4000);
    stage.call.end('operator_hangup');
    const texts = JSON.stringify(recorder.spans);
    for (const kept of ['Charge my card.', 'It is paid.', 'charge']) expect(texts).toContain(kept);
    return texts;
  }

  it('hold what a tool was given and answered, but for sensitive ones', async () => {
    const open = await textsOf(false);
    for (const word of ['4242', 'shipped']) expect(open).toContain(word);
    const closed = await textsOf(true);
    for (const word of ['4242', 'shipped']) expect(closed).not.toContain(word);
  });

  it('hold no late result of a sensitive tool, and none of an agent before', async () => {
    const recorder = new SpanRecorder(true);
    const call = { id: 't1', name: 'charge', arguments: '{"card":"4242"}' };
    const messages: LlmMessage[] = [
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', toolCallId: 't1', content: 'paid with 4242' },
      { role: 'system', content: 'The tool charge has finished. Its result: paid with 4242' },
      { role: 'user', content: 'Thank you' },
    ];
    const clock = new ScriptedClock();
    const traces = new CallTraces({ tracer: recorder, clock });
    traces.take(callId, { kind: 'media_started', carrier_call_id: 'CA1', stream_id: 'MZ1' });
    const times = { started_at_ms: 0, ended_at_ms: 1 };
    const withheld = { arguments: WITHHELD, result: WITHHELD, status: 'succeeded' as const, ...times };
    traces.take(callId, {
      kind: 'tool_execution',
      execution: { tool_call_id: 't1', name: 'charge', ...withheld },
    });
    const model = traces.providers(providersWith(new ScriptedLanguageModel(['Yes.'])), plan).llm('scripted');
    const choice = { provider: 'scripted', model: 'm', params: {} };
    const request = { choice, credentials: {}, messages, tools: [], turn: undefined };
    for await (const _ of model.generate(request, new AbortController().signal));
    const texts = JSON.stringify(recorder.spans);
    expect(texts).toContain('Thank you');
    expect(texts).not.toContain('4242');
  });
});

describe('what a call emits', () => {
  const clock = { at: 1_000_000 };
  let recorder: SpanRecorder;
  let traces: CallTraces;
  const take = (body: CallEventBody, afterMs = 0) => {
    clock.at += afterMs;
    traces.take(callId, body);
  };

  beforeEach(() => {
    clock.at = 1_000_000;
    recorder = new SpanRecorder();
    traces = new CallTraces({
      tracer: recorder,
      clock: {
        now: () => clock.at,
        monotonic: () => clock.at,
        schedule: () => ({ cancel: () => {} }),
        sleep: async () => {},
      },
    });
    take({ kind: 'media_started', carrier_call_id: 'CA1', stream_id: 'MZ1' });
  });

  it('becomes a turn from the end of speech, with a span for each stage at its time', () => {
    take({ kind: 'turn_metrics', metrics: METRICS }, 8000);
    const speechEnded = 1_005_000;
    const times = recorder.spans.map(({ name, startedAt, endedAt }) => [
      name,
      startedAt - speechEnded,
      endedAt - speechEnded,
    ]);
    expect(times).toEqual([
      ['turn', 0, 3000],
      ['stt', 0, 120],
      ['end_of_turn', 0, 300],
      ['llm', 300, 500],
      ['tts', 500, 700],
      ['playout', 700, 720],
    ]);
    expect(recorder.find('turn').attributes).toMatchObject({
      'call.turn': 2,
      'call.turn.response_latency_ms': 720,
    });
    expect(recorder.find('tts').parentId).toBe(turnSpanId(callId, 2));
  });

  it('becomes no stages where nothing was heard, and no time for what a guess had ready', () => {
    take(
      { kind: 'turn_metrics', metrics: { ...METRICS, response_latency_ms: null, audible_at_ms: null } },
      10,
    );
    expect(recorder.spans.map(({ name }) => name)).toEqual(['turn']);

    take({
      kind: 'turn_metrics',
      metrics: { ...METRICS, turn: 4, llm_first_token_ms: 100, preempted: true },
    });
    const { startedAt, endedAt } = recorder.find('llm');
    expect(endedAt - startedAt).toBe(0);
  });

  it('becomes a tool with its failure, and a recogniser and a voice with what they used', () => {
    const execution = {
      tool_call_id: 't1',
      name: 'book',
      arguments: { day: 'Monday' },
      result: null,
      status: 'timed_out' as const,
      started_at_ms: 100,
      ended_at_ms: 400,
    };
    take({ kind: 'tool_execution', execution });
    take({ kind: 'notice', code: 'provider_replaced', message: 'x' });
    const segments = [
      { kind: 'stt' as const, provider: 'deepgram', model: 'nova-3', fallback: false, audio_ms: 9000 },
      { kind: 'tts' as const, provider: 'elevenlabs', model: 'flash', fallback: true, characters: 42 },
    ];
    if (endedEvent.kind !== 'ended') throw new Error('not the end');
    take({ ...endedEvent, usage: { ...endedEvent.usage, segments } }, 9000);

    expect(recorder.find('execute_tool book')).toMatchObject({
      startedAt: 1_000_100,
      endedAt: 1_000_400,
      error: 'timed_out',
      attributes: { 'gen_ai.tool.name': 'book', 'gen_ai.tool.call.id': 't1' },
    });
    expect(JSON.stringify(recorder.spans)).not.toContain('Monday');
    expect(recorder.find('stt deepgram').attributes).toMatchObject({
      'gen_ai.request.model': 'nova-3',
      'call.usage.audio_ms': 9000,
    });
    expect(recorder.find('tts elevenlabs').attributes).toMatchObject({ 'call.provider.fallback': true });
    expect(recorder.find('conversation').attributes).toMatchObject({
      'call.end_reason': 'agent_hangup',
      'call.notices': ['provider_replaced'],
    });
  });

  it('keeps a request whose turn never was under the conversation', async () => {
    const model = traces.providers(providersWith(new ScriptedLanguageModel(['a'])), plan).llm('scripted');
    const choice = { provider: 'scripted', model: 'm', params: {} };
    const request = { choice, credentials: {}, messages: [], tools: [], turn: 7 };
    for await (const _ of model.generate(request, new AbortController().signal));
    expect(recorder.spans).toEqual([]);
    take(endedEvent);
    expect(recorder.find('chat m').parentId).toBe(conversationSpanId(callId));
  });
});
