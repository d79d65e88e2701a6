import { MULAW_SILENCE } from '@voice/shared/audio/g711';
import { agentTool } from '@voice/shared/contracts/agent';
import { newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { realtimeStage } from './testing/realtime-stage.js';
import { decide, initialState } from './turn-taking/decide.js';

const LONG = 'Our opening hours are from nine in the morning until six in the evening.';

describe('a speech-to-speech call', () => {
  it('says the disclosure and the first message first, word for word', async () => {
    const { stage, provider } = realtimeStage({ disclosure: 'I am an AI.', firstMessage: 'How can I help?' });
    await stage.pass(3000);
    expect(stage.turns()).toEqual(['agent: I am an AI.', 'agent: How can I help?']);
    expect(provider.session.log).toEqual(['say I am an AI.', 'say How can I help?']);
    expect(stage.of('notice')).toEqual([]);
  });

  it('notes when the model did not say the disclosure as it is', async () => {
    const { stage, provider } = realtimeStage({ disclosure: 'I am an automated assistant.' });
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
    const { stage, provider } = realtimeStage({ answers: ['We are open until six.'] });
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
    const { stage, provider } = realtimeStage({ answers: ['Yes.'] });
    await stage.pass(3000);
    expect(provider.session.takeFrames()).toBe(0);
    await stage.callerSpeaks(1000);
    await stage.pass(2000);
    const frames = provider.session.takeFrames();
    expect(frames).toBeGreaterThanOrEqual(50 + 15);
    expect(frames).toBeLessThanOrEqual(50 + 20 + 30);
  });

  it('sends the first word, too, where the line brings a second of speech at once', async () => {
    const { stage, provider } = realtimeStage({ answers: ['Yes.'] });
    await stage.pass(3000);
    for (let n = 0; n < 50; n++) stage.lineBrings(new Uint8Array(160));
    stage.recogniser.speechStarted(1000);
    expect(provider.session.takeFrames()).toBe(50 + 20);
  });

  it('falls silent for a caller who interrupts; the model remembers what was heard', async () => {
    const { stage, provider } = realtimeStage({ answers: [LONG, 'Goodbye then.'] });
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

  it('cuts the silence off the model’s audio, and counts it in where the model has to forget the rest', async () => {
    const interruptedAt = async (silentMs: number) => {
      const { stage, provider } = realtimeStage({ answers: ['', 'Goodbye then.'] });
      await stage.pass(200);
      provider.session.held = true;
      await stage.callerSpeaks();
      await stage.pass(1000);
      const { session } = provider;
      session.emit({ type: 'text', response: 1, delta: LONG });
      session.emit({ type: 'audio', response: 1, audio: new Uint8Array(silentMs * 8).fill(MULAW_SILENCE) });
      session.emit({ type: 'audio', response: 1, audio: new Uint8Array(40_000) });
      await stage.pass(1000);
      await stage.callerSpeaks(900);
      await stage.pass(1000);
      return Number(/^truncate 1 at (\d+)$/m.exec(session.log.join('\n'))?.[1]);
    };
    expect((await interruptedAt(100)) - (await interruptedAt(0))).toBe(80);
  });

  it('keeps what was heard of a sentence that the model had not ended', async () => {
    const { stage, provider } = realtimeStage({ answers: ['', 'Goodbye then.'] });
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
    const { stage, provider } = realtimeStage({
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

  it('answers a caller who speaks while a tool runs; the model gets the result when it comes', async () => {
    const call = { id: 't1', name: 'send_dtmf', arguments: '{"digits":"1234567890123456"}' };
    const { stage, provider } = realtimeStage({
      tools: [agentTool.parse({ type: 'send_dtmf' })],
      answers: [[{ type: 'tool_call', call }], 'I am pressing them.', 'All pressed.'],
    });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(900);
    await stage.callerSpeaks(600);
    await stage.pass(9000);
    expect(stage.turns()).toEqual(['agent: I am pressing them.', 'agent: All pressed.']);
    expect(provider.session.items).toEqual([
      { role: 'tool_result', callId: 't1', text: expect.stringContaining('still being done') },
    ]);
    expect(provider.session.log).toEqual([
      'commit',
      'respond',
      'commit',
      'tool_result',
      'respond',
      expect.stringMatching(/^note The tool send_dtmf has finished/),
      'respond',
    ]);
  });

  it('gives the model the whole turn of a caller in whose speech a tool ends', async () => {
    const call = { id: 't1', name: 'send_dtmf', arguments: '{"digits":"1234567890123456"}' };
    const { stage, provider } = realtimeStage({
      tools: [agentTool.parse({ type: 'send_dtmf' })],
      answers: [[{ type: 'tool_call', call }], 'All pressed, and noted.'],
    });
    await stage.pass(200);
    await stage.callerSpeaks();
    const executions = () => stage.of('tool_execution').length;
    await stage.pass(2500);
    expect(executions()).toBe(0);
    await stage.callerSpeaks(2500);
    expect(executions()).toBe(1);
    await stage.pass(3000);
    expect(provider.session.log).toEqual(['commit', 'respond', 'commit', 'tool_result', 'respond']);
    expect(stage.turns()).toEqual(['agent: All pressed, and noted.']);
  });

  it('reads an operator’s whisper before its next answer', async () => {
    const { stage, provider } = realtimeStage({ answers: ['Of course.'] });
    await stage.pass(200);
    stage.call.command({ command_id: newId(), command: { kind: 'whisper', text: 'Offer a discount.' } });
    await stage.callerSpeaks();
    await stage.pass(1500);
    expect(provider.session.log).toEqual(['commit', 'note Offer a discount.', 'respond']);
  });

  it('asks a silent caller, then takes its leave', async () => {
    const { stage } = realtimeStage({ firstMessage: 'Hello.' });
    await stage.pass(45_000);
    expect(stage.turns().slice(0, 3)).toEqual([
      'agent: Hello.',
      'agent: Are you still there?',
      'agent: Can you hear me?',
    ]);
    expect(stage.of('ended')).toMatchObject([{ end_reason: 'silence_timeout' }]);
  });

  it('reports what it used by modality', async () => {
    const { stage } = realtimeStage({ answers: ['Until six.'] });
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
    const { stage } = realtimeStage({ firstMessage: 'Hello.', answers: [LONG, 'Yes.'] });
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
      const { stage, provider } = realtimeStage({ turnDetection: 'provider', answers: ['Until six.'] });
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

  it('reports an estimate of what it was saying when the call ended', async () => {
    const { stage, provider } = realtimeStage({ disclosure: 'I am an automated assistant.' });
    provider.session.held = true;
    provider.session.emit({ type: 'ready' });
    await stage.pass(500);
    provider.session.emit({ type: 'text', response: 1, delta: 'I am an automated' });
    stage.line.listener?.onClosed();
    expect(stage.of('ended')).toMatchObject([
      { usage: { realtime: { output_audio_tokens: 23, output_text_tokens: 5 } } },
    ]);
  });
});
