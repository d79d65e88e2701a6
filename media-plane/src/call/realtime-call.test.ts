import { L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { type AgentTool, agentTool } from '@voice/shared/contracts/agent';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import type { ConversationListener } from '../conversation/port.js';
import { RealtimeConversation } from '../conversation/realtime/realtime.js';
import { ConversationWithFallback } from '../conversation/with-fallback.js';
import { testCallPlan } from '../testing/call-plan.js';
import { CallStage } from '../testing/call-stage.js';
import {
  ScriptedRecogniser,
  ScriptedLanguageModel,
  scriptedConversation,
  scriptedVoice,
} from '../testing/scripted-providers.js';
import { type ScriptedAnswer, ScriptedRealtime } from '../testing/scripted-realtime.js';
import { decide, initialState } from './turn-taking/decide.js';

interface Scene {
  readonly answers?: readonly ScriptedAnswer[];
  readonly disclosure?: string;
  readonly firstMessage?: string;
  readonly tools?: readonly AgentTool[];
  readonly turnDetection?: 'service' | 'provider';
  /** What the cascade answers that takes over; without it there is none. */
  readonly fallback?: readonly string[];
}

const choice = { provider: 'scripted', model: '', params: {} };
const LONG = 'Our opening hours are from nine in the morning until six in the evening.';

/** Where a failed session is followed by one that works, of the same call. */
const preparedWith = (provider: ScriptedRealtime) => {
  const plan = testCallPlan({}, { pipeline_type: 'realtime', voice_config: { realtime: choice } });
  const notice = () => {};
  const clock = new ScriptedClock();
  const { detector } = new ScriptedRecogniser();
  return new RealtimeConversation({
    plan,
    choice,
    provider,
    detector,
    tools: [],
    clock,
    log: silentLog,
    notice,
  });
};
const failures: unknown[] = [];
const listener: ConversationListener = {
  sinceStart: () => 0,
  captionsUrl: undefined,
  history: () => [],
  onHeard: () => {},
  onFailed: (error) => failures.push(error),
};

function stageOf({ answers = [], disclosure, firstMessage = '', tools, turnDetection, fallback }: Scene) {
  const provider = new ScriptedRealtime(answers);
  const plan = testCallPlan(
    { disclosure: disclosure ?? null },
    {
      pipeline_type: 'realtime',
      voice_config: { realtime: choice },
      first_message: firstMessage,
      ...(tools ? { tools: [...tools] } : {}),
    },
  );
  if (turnDetection) plan.agent.turn_taking.turn_detection = turnDetection;
  const model = new ScriptedLanguageModel(fallback ?? []);
  const stage = new CallStage({
    plan,
    createConversation: ({ clock, recogniser }, { tools: offered, notice }) => {
      const detector = recogniser.detector;
      const options = { plan, choice, provider, detector, tools: offered, clock, log: silentLog, notice };
      const primary = new RealtimeConversation(options);
      if (!fallback) return primary;
      const cascade = () => scriptedConversation(plan, clock, { recogniser, model, voice: scriptedVoice() });
      return new ConversationWithFallback({ primary, fallback: cascade, notice });
    },
  });
  return { stage, provider, model };
}

describe('a speech-to-speech call', () => {
  it('says the disclosure and the first message first, word for word', async () => {
    const { stage, provider } = stageOf({ disclosure: 'I am an AI.', firstMessage: 'How can I help?' });
    await stage.pass(3000);
    expect(stage.turns()).toEqual(['agent: I am an AI.', 'agent: How can I help?']);
    expect(provider.session.log).toEqual(['say I am an AI.', 'say How can I help?']);
    expect(stage.of('notice')).toEqual([]);
  });

  it('notes when the model did not say the disclosure as it is', async () => {
    const { stage, provider } = stageOf({ disclosure: 'I am an automated assistant.' });
    provider.session.held = true;
    await stage.pass(100);
    const [session] = provider.sessions;
    session!.emit({ type: 'text', response: 1, delta: 'Hi there, lovely weather!' });
    session!.emit({ type: 'audio', response: 1, audio: new Uint8Array(1600) });
    session!.emit({ type: 'response_finished', response: 1, outcome: 'completed' });
    await stage.pass(500);
    expect(stage.of('notice')).toMatchObject([{ code: 'disclosure_not_verbatim' }]);
  });

  it('answers by the end of speech, and puts the caller’s words in their place', async () => {
    const { stage, provider } = stageOf({ answers: ['We are open until six.'] });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(2500);
    expect(provider.session.log).toEqual(['commit', 'respond']);
    provider.session.emit({ type: 'caller_transcript', item: 'i1', text: 'When do you', final: false });
    provider.session.emit({ type: 'caller_transcript', item: 'i1', text: 'When do you close?', final: true });
    expect(stage.transcript()).toEqual(['caller: When do you close?', 'agent: We are open until six.']);
    const [metrics] = stage.of('turn_metrics');
    expect(metrics?.metrics.response_latency_ms).toBeGreaterThanOrEqual(400);
    expect(metrics?.metrics.response_latency_ms).toBeLessThanOrEqual(640);
    expect(metrics?.metrics.stt_final_ms).toBeNull();
  });

  it('sends speech to the model, and not the silence around it', async () => {
    const { stage, provider } = stageOf({ answers: ['Yes.'] });
    await stage.pass(3000);
    expect(provider.session.takeFrames()).toBe(0);
    await stage.callerSpeaks(1000);
    await stage.pass(2000);
    const frames = provider.session.takeFrames();
    expect(frames).toBeGreaterThanOrEqual(50 + 15);
    expect(frames).toBeLessThanOrEqual(50 + 20 + 30);
  });

  it('falls silent for a caller who interrupts; the model remembers what was heard', async () => {
    const { stage, provider } = stageOf({ answers: [LONG, 'Goodbye then.'] });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(1500);
    await stage.callerSpeaks(900);
    await stage.pass(2500);
    const [cut, next] = stage.turns();
    expect(cut).toMatch(/^agent: Our .+ —$/);
    expect(next).toBe('agent: Goodbye then.');
    expect(provider.session.log.slice(0, 2)).toEqual(['commit', 'respond']);
    expect(provider.session.log.slice(2)).toEqual([
      expect.stringMatching(/^truncate 1 at \d{3,4}$/),
      'commit',
      'respond',
    ]);
    expect(stage.line.sent).toContain('clear');
  });

  it('keeps what was heard of a sentence that the model had not ended', async () => {
    const { stage, provider } = stageOf({ answers: ['', 'Goodbye then.'] });
    await stage.pass(200);
    provider.session.held = true;
    await stage.callerSpeaks();
    await stage.pass(1000);
    provider.session.emit({ type: 'text', response: 1, delta: 'Our opening hours are from nine in the mor' });
    provider.session.emit({ type: 'audio', response: 1, audio: new Uint8Array(8 * 3000).fill(1) });
    await stage.pass(1500);
    await stage.callerSpeaks(900);
    await stage.pass(500);
    expect(stage.turns()[0]).toMatch(/^agent: Our opening .+ —$/);
  });

  it('runs a tool and answers with its result', async () => {
    const call = { id: 't1', name: 'look_up', arguments: '{}' };
    const { stage, provider } = stageOf({
      tools: [
        agentTool.parse({ type: 'http', name: 'look_up', url: 'https://example.com', side_effects: false }),
      ],
      answers: [[{ type: 'tool_call', call }], 'It was shipped.'],
    });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(3000);
    expect(stage.turns()).toEqual(['agent: It was shipped.']);
    expect(provider.session.log).toEqual(['commit', 'respond', 'tool_result', 'respond']);
    expect(provider.session.items).toEqual([{ role: 'tool_result', callId: 't1', text: 'shipped' }]);
  });

  it('reads an operator’s whisper before its next answer', async () => {
    const { stage, provider } = stageOf({ answers: ['Of course.'] });
    await stage.pass(200);
    stage.call.command({ command_id: newId(), command: { kind: 'whisper', text: 'Offer a discount.' } });
    await stage.callerSpeaks();
    await stage.pass(1500);
    expect(provider.session.log).toEqual(['commit', 'note Offer a discount.', 'respond']);
  });

  it('asks a silent caller, then takes its leave', async () => {
    const { stage } = stageOf({ firstMessage: 'Hello.' });
    await stage.pass(45_000);
    expect(stage.turns().slice(0, 3)).toEqual([
      'agent: Hello.',
      'agent: Are you still there?',
      'agent: Can you hear me?',
    ]);
    expect(stage.of('ended')).toMatchObject([{ end_reason: 'silence_timeout' }]);
  });

  it('reports what it used by modality', async () => {
    const { stage } = stageOf({ answers: ['Until six.'] });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(2000);
    stage.line.listener?.onClosed();
    const [{ usage }] = stage.of('ended') as [Extract<(typeof stage.emitted)[number], { kind: 'ended' }>];
    const source = { provider: 'scripted', model: 'scripted-1' };
    expect(usage.realtime).toMatchObject({ ...source, output_audio_tokens: 20, cached_audio_tokens: 4 });
    expect(usage.segments).toMatchObject([
      { kind: 'realtime', ...source, fallback: false, input_text_tokens: 5 },
    ]);
  });

  it('is decided again byte for byte from its log', async () => {
    const { stage } = stageOf({ firstMessage: 'Hello.', answers: [LONG, 'Yes.'] });
    await stage.pass(1000);
    await stage.callerSpeaks();
    await stage.pass(1500);
    await stage.callerSpeaks(900);
    await stage.pass(2000);
    let state = initialState(JSON.parse(JSON.stringify(stage.options)));
    for (const event of JSON.parse(JSON.stringify(stage.decided))) state = decide(state, event).state;
    expect(state.history.filter((entry) => entry.role === 'assistant')).toHaveLength(3);
  });

  describe('with the provider’s turn detection', () => {
    it('hears everything, and answers when the provider says that the turn is over', async () => {
      const { stage, provider } = stageOf({ turnDetection: 'provider', answers: ['Until six.'] });
      await stage.pass(400);
      expect(provider.session.takeFrames()).toBe(20);
      await stage.callerSpeaks();
      await stage.pass(1000);
      expect(provider.session.asked).toEqual([]);
      provider.session.emit({ type: 'end_of_turn' });
      await stage.pass(1500);
      expect(provider.session.log).toEqual(['respond']);
      provider.session.emit({ type: 'caller_transcript', item: 'i1', text: 'When?', final: true });
      expect(stage.transcript()).toEqual(['caller: When?', 'agent: Until six.']);
    });
  });

  describe('that was prepared while the phone rang', () => {
    it('is opened anew where the line turns out to carry another format', () => {
      const provider = new ScriptedRealtime([]);
      const conversation = preparedWith(provider);
      conversation.prepare(PCMU_8K);
      conversation.listen(listener, L16_16K);
      expect(provider.sessions.map(({ closed, options }) => [closed, options.format])).toEqual([
        [true, PCMU_8K],
        [false, L16_16K],
      ]);
    });

    it('is the same session where the format was foreseen', () => {
      const provider = new ScriptedRealtime([]);
      const conversation = preparedWith(provider);
      conversation.prepare(PCMU_8K);
      conversation.listen(listener, PCMU_8K);
      expect(provider.sessions).toHaveLength(1);
    });

    it('is tried once more when its provider failed before anybody listened, and then reports it', () => {
      const provider = new ScriptedRealtime([]);
      const conversation = preparedWith(provider);
      conversation.prepare(PCMU_8K);
      provider.session.fail(false);
      conversation.listen(listener, PCMU_8K);
      expect(provider.sessions).toHaveLength(2);
      provider.session.fail(false);
      expect(failures).toMatchObject([{ code: 'realtime_disconnected' }]);
    });
  });

  describe('over the life of its sessions', () => {
    it('opens the next one before the provider ends it, which takes over between two answers', async () => {
      const { stage, provider } = stageOf({ answers: ['Until six.', 'You are welcome.'] });
      await stage.pass(200);
      await stage.callerSpeaks();
      await stage.pass(2000);
      provider.session.emit({
        type: 'caller_transcript',
        item: 'i1',
        text: 'When do you close?',
        final: true,
      });
      provider.sessions[0]!.emit({ type: 'expiring', inMs: 300_000 });
      expect(provider.sessions).toHaveLength(2);
      expect(provider.session.options.history).toEqual([
        { role: 'user', text: 'When do you close?' },
        { role: 'assistant', text: 'Until six.' },
      ]);
      expect(provider.sessions[0]!.closed).toBe(false);
      provider.session.emit({ type: 'ready' });
      expect(provider.sessions[0]!.closed).toBe(true);
      await stage.callerSpeaks();
      await stage.pass(2000);
      expect(stage.turns().at(-1)).toBe('agent: You are welcome.');
      expect(stage.of('notice')).toEqual([]);
    });

    it('takes up a broken one anew, with what the caller had said', async () => {
      const { stage, provider } = stageOf({ answers: ['lost', 'Until six.'] });
      await stage.pass(200);
      await stage.callerSpeaks();
      provider.session.held = true;
      await stage.pass(600);
      expect(provider.session.log).toEqual(['commit', 'respond']);
      provider.session.fail(true);
      await stage.pass(2500);
      expect(provider.sessions).toHaveLength(2);
      expect(provider.session.takeFrames()).toBeGreaterThan(50);
      expect(stage.turns().at(-1)).toBe('agent: Until six.');
      expect(stage.of('notice').map(({ code }) => code)).toContain('realtime_reconnected');
      expect(stage.over).toBe(false);
    });

    it('ends the call when the provider is gone and nothing takes over', async () => {
      const { stage, provider } = stageOf({});
      await stage.pass(200);
      provider.session.fail(false);
      await stage.pass(200);
      expect(stage.of('ended')).toMatchObject([
        { end_reason: 'provider_failed', error_code: 'realtime_disconnected' },
      ]);
    });

    it('goes on with the cascaded voice when the provider is gone', async () => {
      const { stage, provider, model } = stageOf({
        answers: ['Until six.', 'lost'],
        fallback: ['On Sundays we are closed.'],
      });
      await stage.pass(200);
      await stage.callerSpeaks();
      await stage.pass(2000);
      provider.session.emit({
        type: 'caller_transcript',
        item: 'i1',
        text: 'When do you close?',
        final: true,
      });
      await stage.callerSpeaks();
      provider.session.held = true;
      await stage.pass(600);
      provider.session.fail(false);
      await stage.pass(100);
      stage.recogniser.transcribes('And on Sundays?');
      await stage.pass(3000);
      expect(stage.transcript()).toEqual([
        'caller: When do you close?',
        'agent: Until six.',
        'caller: And on Sundays?',
        'agent: On Sundays we are closed.',
      ]);
      expect(model.requests.at(-1)?.messages.slice(1)).toEqual([
        { role: 'user', content: 'When do you close?' },
        { role: 'assistant', content: 'Until six.' },
        { role: 'user', content: 'And on Sundays?' },
      ]);
      expect(stage.of('notice').map(({ code }) => code)).toContain('realtime_replaced');
    });

    it('says all of its beginning with the cascaded voice when no session can be opened', async () => {
      const { stage, provider } = stageOf({
        disclosure: 'I am an AI.',
        firstMessage: 'Hello there.',
        fallback: [],
      });
      for (let n = 0; n < 3; n++) {
        provider.session.held = true;
        await stage.pass(20);
        provider.session.fail(true);
      }
      await stage.pass(4000);
      expect(stage.turns()).toEqual(['agent: I am an AI.', 'agent: Hello there.']);
      expect(stage.over).toBe(false);
    });

    it('says its first message with the cascaded voice when the provider was never there', async () => {
      const { stage, provider } = stageOf({ firstMessage: 'Hello there.', fallback: [] });
      provider.session.held = true;
      await stage.pass(60);
      provider.session.fail(false);
      await stage.pass(2000);
      expect(stage.turns()).toEqual(['agent: Hello there.']);
    });
  });
});
