import { L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { agentTool } from '@voice/shared/contracts/agent';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it, vi } from 'vitest';
import type { ConversationListener, TurnListener } from '../conversation/port.js';
import { RealtimeConversation } from '../conversation/realtime/realtime.js';
import { CircuitBreaker } from '../providers/resilience/circuit-breakers.js';
import { testCallPlan } from '../testing/call-plan.js';
import { ScriptedRecogniser } from '../testing/scripted-providers.js';
import { ScriptedRealtime } from '../testing/scripted-realtime.js';
import { realtimeChoice as choice, realtimeStage } from './testing/realtime-stage.js';

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

describe('a speech-to-speech call that was prepared while the phone rang', () => {
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

describe('a speech-to-speech call over the life of its sessions', () => {
  it('opens the next one before the provider ends it, which takes over between two answers', async () => {
    const { stage, provider } = realtimeStage({ answers: ['Until six.', 'You are welcome.'] });
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

  it('replaces a broken one, with what the caller had said', async () => {
    const { stage, provider } = realtimeStage({ answers: ['lost', 'Until six.', 'You are welcome.'] });
    await stage.pass(200);
    await stage.callerSpeaks();
    provider.session.held = true;
    await stage.pass(600);
    expect(provider.session.log).toEqual(['commit', 'respond']);
    provider.session.fail(true);
    await stage.pass(2500);
    expect(provider.sessions).toHaveLength(2);
    expect(provider.session.takeFrames()).toBeGreaterThan(50);
    expect(provider.session.log).toEqual(['commit', 'respond']);
    expect(stage.turns().at(-1)).toBe('agent: Until six.');
    provider.session.emit({ type: 'caller_transcript', item: 'i1', text: 'When do you close?', final: true });
    await stage.callerSpeaks();
    await stage.pass(2500);
    provider.session.emit({ type: 'caller_transcript', item: 'i2', text: 'Thank you.', final: true });
    expect(stage.transcript()).toEqual([
      'caller: When do you close?',
      'agent: Until six.',
      'caller: Thank you.',
      'agent: You are welcome.',
    ]);
    expect(stage.of('notice').map(({ code }) => code)).toContain('realtime_reconnected');
    expect(stage.over).toBe(false);
  });

  it('ends the call when the provider is gone and nothing takes over', async () => {
    const { stage, provider } = realtimeStage({});
    await stage.pass(200);
    provider.session.fail(false);
    await stage.pass(200);
    expect(stage.of('ended')).toMatchObject([
      { end_reason: 'provider_failed', error_code: 'realtime_disconnected' },
    ]);
  });

  it('goes on with the cascaded voice when the provider is gone', async () => {
    const { stage, provider, model } = realtimeStage({
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
    const { stage, provider } = realtimeStage({
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
    const { stage, provider } = realtimeStage({ firstMessage: 'Hello there.', fallback: [] });
    provider.session.held = true;
    await stage.pass(60);
    provider.session.fail(false);
    await stage.pass(2000);
    expect(stage.turns()).toEqual(['agent: Hello there.']);
  });

  it('speaks with the cascaded voice from the beginning when the provider fails the calls of the worker', async () => {
    const breaker = new CircuitBreaker(new ScriptedClock());
    for (let call = 0; call < 5; call++) {
      const { provider } = realtimeStage({ fallback: [], breaker });
      provider.session.fail(false);
    }
    expect([breaker.phase, breaker.results.failed]).toEqual(['open', 5]);
    const { stage, provider } = realtimeStage({
      firstMessage: 'Hello there.',
      fallback: ['On Sundays we are closed.'],
      breaker,
    });
    await stage.pass(2000);
    await stage.callerSays('And on Sundays?');
    await stage.pass(3000);
    expect(provider.sessions).toEqual([]);
    expect(stage.turns()).toEqual([
      'agent: Hello there.',
      'caller: And on Sundays?',
      'agent: On Sundays we are closed.',
    ]);
    expect(stage.of('notice').map(({ code }) => code)).toEqual(['realtime_replaced']);
    stage.call.end('operator_hangup');
    expect(stage.of('ended')).toMatchObject([{ usage: { realtime: { provider: 'scripted' } } }]);
  });

  it('counts for its provider when it speaks', async () => {
    const breaker = new CircuitBreaker(new ScriptedClock());
    const { stage } = realtimeStage({ firstMessage: 'Hello there.', fallback: [], breaker });
    await stage.pass(2000);
    expect(breaker.results).toEqual({ ok: 1, slow: 0, failed: 0 });
  });
});

describe('what a session that takes over learns of what was under way', () => {
  const QUESTION = 'Your table for four is at seven; shall I book it for you?';
  const words = (item: string, text: string) =>
    ({ type: 'caller_transcript', item, text, final: true }) as const;

  it('is the question that was still heard when the connection broke', async () => {
    const { stage, provider } = realtimeStage({ answers: [QUESTION, 'Booked.'] });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(1000);
    provider.session.emit(words('i1', 'A table for four at seven.'));
    provider.session.fail(true);
    expect(provider.session.options.history).toEqual([{ role: 'user', text: 'A table for four at seven.' }]);
    await stage.pass(3500);
    expect(provider.session.items).toEqual([]);
    await stage.callerSpeaks();
    await stage.pass(2500);
    expect(provider.session.items).toEqual([{ role: 'assistant', text: QUESTION }]);
    expect(provider.session.log).toEqual(['assistant', 'commit', 'respond']);
    expect(stage.turns().at(-1)).toBe('agent: Booked.');
  });

  it('is the question before a provider that ends turns itself has heard the answer to it', async () => {
    const { stage, provider } = realtimeStage({ turnDetection: 'provider', answers: [QUESTION, 'Booked.'] });
    await stage.pass(200);
    await stage.callerSpeaks();
    provider.session.emit({ type: 'end_of_turn' });
    await stage.pass(1000);
    provider.session.fail(true);
    await stage.pass(3500);
    await stage.callerSpeaks();
    expect(provider.session.items).toEqual([{ role: 'assistant', text: QUESTION }]);
    provider.session.emit({ type: 'end_of_turn' });
    await stage.pass(2500);
    expect(provider.session.log).toEqual(['assistant', 'respond']);
    expect(stage.turns().at(-1)).toBe('agent: Booked.');
  });

  it('comes before what it hears again, of which it is not given the words', async () => {
    const { stage, provider } = realtimeStage({ answers: [QUESTION, 'lost', 'Booked.'] });
    await stage.pass(200);
    provider.session.emit({ type: 'expiring', inMs: 300_000 });
    const [before, next] = provider.sessions;
    await stage.callerSpeaks();
    await stage.pass(4500);
    before!.held = true;
    await stage.callerSpeaks();
    await stage.pass(600);
    const given = vi.spyOn(next!, 'addItem');
    const heard = vi.spyOn(next!, 'write');
    before!.fail(true);
    expect(given.mock.invocationCallOrder.at(-1)).toBeLessThan(heard.mock.invocationCallOrder[0]!);
    next!.emit(words('i1', 'Yes.'));
    await stage.pass(2500);
    expect(next!.items).toEqual([{ role: 'assistant', text: QUESTION }]);
    expect(next!.log).toEqual(['assistant', 'commit', 'respond']);
    expect(stage.transcript()).toEqual([`agent: ${QUESTION}`, 'caller: Yes.', 'agent: Booked.']);
  });

  it('is an answer that was interrupted as far as it was heard', async () => {
    const { stage, provider } = realtimeStage({ answers: [QUESTION, 'For five, then.'] });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(1500);
    provider.session.fail(true);
    await stage.callerSpeaks(900);
    await stage.pass(2500);
    const [cut] = stage.turns();
    expect(cut).toMatch(/^agent: Your table .+ —$/);
    expect(provider.session.items).toEqual([{ role: 'assistant', text: cut!.slice(7, -2) }]);
    expect(provider.session.log).toEqual(['assistant', 'commit', 'respond']);
  });

  it('is nothing that it said or heard itself since', async () => {
    const { stage, provider } = realtimeStage({ answers: [QUESTION, 'Booked.', 'Goodbye.'] });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(1000);
    provider.session.emit(words('i1', 'A table for four at seven.'));
    provider.session.fail(true);
    await stage.pass(13_000);
    expect(stage.turns().at(-1)).toBe('agent: Are you still there?');
    await stage.callerSpeaks();
    await stage.pass(2500);
    provider.session.emit(words('i2', 'Yes.'));
    await stage.callerSpeaks();
    await stage.pass(2500);
    expect(stage.turns().at(-1)).toBe('agent: Goodbye.');
    expect(provider.session.log).toEqual([
      'assistant',
      'say Are you still there?',
      'commit',
      'respond',
      'commit',
      'respond',
    ]);
    expect(provider.session.items).toEqual([{ role: 'assistant', text: QUESTION }]);
  });

  it('is the call of a tool, with the result that came after the connection broke', async () => {
    const call = { id: 't1', name: 'send_dtmf', arguments: '{"digits":"1234567890123456"}' };
    const { stage, provider } = realtimeStage({
      tools: [agentTool.parse({ type: 'send_dtmf' })],
      answers: [[{ type: 'tool_call', call }], 'All pressed.'],
    });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(900);
    provider.session.emit(words('i1', 'Enter my number.'));
    provider.session.fail(true);
    expect(provider.session.options.history).toEqual([{ role: 'user', text: 'Enter my number.' }]);
    await stage.pass(9000);
    expect(provider.session.items).toEqual([
      { role: 'tool_call', call },
      { role: 'tool_result', callId: 't1', text: 'Pressed 1234567890123456.' },
    ]);
    expect(stage.turns().at(-1)).toBe('agent: All pressed.');
  });

  it('is question and answer of a renewal in mid-answer', async () => {
    const { stage, provider } = realtimeStage({ answers: [QUESTION, 'Booked.'] });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(800);
    provider.session.emit({ type: 'expiring', inMs: 300_000 });
    const [before, next] = provider.sessions;
    before!.emit(words('i1', 'A table for four at seven.'));
    next!.emit({ type: 'ready' });
    expect([before!.closed, next!.options.history]).toEqual([true, []]);
    await stage.pass(3500);
    await stage.callerSpeaks();
    await stage.pass(2500);
    expect(next!.items).toEqual([
      { role: 'user', text: 'A table for four at seven.' },
      { role: 'assistant', text: QUESTION },
    ]);
    expect(next!.log).toEqual(['user', 'assistant', 'commit', 'respond']);
  });

  it('leaves an operator’s whisper to the session that answers next', async () => {
    const { stage, provider } = realtimeStage({ answers: ['Of course.'] });
    await stage.pass(200);
    stage.call.command({ command_id: newId(), command: { kind: 'whisper', text: 'Offer a discount.' } });
    provider.session.emit({ type: 'expiring', inMs: 300_000 });
    const [before, next] = provider.sessions;
    expect(next!.options.history).toEqual([{ role: 'system', text: 'Offer a discount.' }]);
    await stage.callerSpeaks();
    await stage.pass(1500);
    expect(before!.log).toEqual(['commit', 'note Offer a discount.', 'respond']);
    next!.emit({ type: 'ready' });
    expect([before!.closed, next!.items]).toEqual([true, [{ role: 'assistant', text: 'Of course.' }]]);
  });

  it('is the tools that became known since it was opened', async () => {
    const provider = new ScriptedRealtime(['One.', 'Two.', 'Three.']);
    const conversation = preparedWith(provider);
    conversation.listen(listener, PCMU_8K);
    const turnListener: TurnListener = {
      onFirstToken: () => {},
      onSentence: () => {},
      onToolCall: () => {},
      onGenerated: () => {},
      onAudio: () => {},
    };
    const answers = async (turn: number) => {
      const tools = [{ name: 'look_up', description: 'Looks up.', parameters: { type: 'object' } }];
      const request = { turn, history: [], basis: undefined, tools };
      await conversation.generate(request, turnListener, new AbortController().signal);
    };
    const [before] = provider.sessions;
    before!.emit({ type: 'expiring', inMs: 300_000 });
    await answers(1);
    const next = provider.session;
    next.emit({ type: 'ready' });
    await answers(2);
    await answers(3);
    expect(before!.log).toEqual(['tools', 'respond']);
    expect(next.log).toEqual(['tools', 'respond', 'respond']);
  });

  it('does not mix up what the caller says with what the session before had not written down', async () => {
    const { stage, provider } = realtimeStage({ answers: [QUESTION, 'Booked.'] });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(1000);
    provider.session.fail(true);
    await stage.pass(3500);
    await stage.callerSpeaks();
    await stage.pass(2500);
    provider.session.emit(words('i1', 'Yes.'));
    expect(stage.transcript()).toEqual([`agent: ${QUESTION}`, 'caller: Yes.', 'agent: Booked.']);
  });
});
