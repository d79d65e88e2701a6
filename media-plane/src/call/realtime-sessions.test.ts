import { L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import type { ConversationListener } from '../conversation/port.js';
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
