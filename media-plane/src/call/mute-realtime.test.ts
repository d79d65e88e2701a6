import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { agentTool } from '@voice/shared/contracts/agent';
import { describe, expect, it } from 'vitest';
import { CircuitBreaker } from '../providers/resilience/circuit-breakers.js';
import { type RealtimeScene, realtimeStage } from './testing/realtime-stage.js';

/** The first token's budget. */
const BUDGET_MS = 1500;
/** In which the fallback is heard once the budget has passed. */
const FALLBACK_MS = 1000;

describe('a speech-to-speech model that is connected and mute', () => {
  /** The caller has asked, and the model was asked to answer. */
  async function asked(scene: RealtimeScene) {
    const breaker = new CircuitBreaker(new ScriptedClock());
    const played = realtimeStage({ breaker, ...scene });
    await played.stage.pass(200);
    played.provider.session.held = true;
    await played.stage.callerSpeaks();
    await played.stage.pass(600);
    return { ...played, breaker };
  }

  it('is replaced by the cascade once its budget has passed, which answers what the caller said', async () => {
    const { stage, provider, breaker } = await asked({ fallback: ['Until six.'] });
    expect(provider.session.log).toEqual(['commit', 'respond']);
    await stage.pass(BUDGET_MS);
    stage.recogniser.transcribes('When do you close?');
    await stage.pass(FALLBACK_MS);
    expect(stage.of('turn').map(({ turn }) => turn.heard_text)).toContain('When do you close?');
    await stage.pass(1000);
    expect(stage.transcript()).toEqual(['caller: When do you close?', 'agent: Until six.']);
    expect(stage.of('notice').map(({ code }) => code)).toEqual(['realtime_replaced']);
    expect(breaker.results).toEqual({ ok: 0, slow: 0, failed: 1 });
  });

  it('is not waited for when the caller’s words are known: the cascade answers them at once', async () => {
    const { stage, provider, model } = await asked({ fallback: ['Until six.'] });
    provider.session.emit({ type: 'caller_transcript', item: 'i1', text: 'When do you close?', final: true });
    await stage.pass(BUDGET_MS + FALLBACK_MS + 2000);
    expect(stage.transcript()).toEqual([
      'caller: When do you close?',
      'agent: One moment, please.',
      'agent: Until six.',
    ]);
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]?.messages.slice(1)).toEqual([{ role: 'user', content: 'When do you close?' }]);
  });

  it('is replaced at pick-up, too: the first message does not wait for its connection', async () => {
    const breaker = new CircuitBreaker(new ScriptedClock());
    const { stage, provider } = realtimeStage({
      disclosure: 'AI.',
      firstMessage: 'Hello.',
      fallback: [],
      breaker,
    });
    provider.session.held = true;
    await stage.pass(BUDGET_MS + FALLBACK_MS);
    expect(stage.turns()).toEqual(['agent: AI.']);
    expect(breaker.results.failed).toBe(1);
    await stage.pass(500);
    expect(stage.turns()).toEqual(['agent: AI.', 'agent: Hello.']);
  });

  it('is replaced, too, when it is mute to the result of a tool', async () => {
    const call = { id: 't1', name: 'send_dtmf', arguments: '{"digits":"12"}' };
    const { stage, provider, model } = realtimeStage({
      tools: [agentTool.parse({ type: 'send_dtmf' })],
      answers: [[{ type: 'tool_call', call }]],
      fallback: ['I have pressed them.'],
    });
    await stage.pass(200);
    await stage.callerSpeaks();
    await stage.pass(500);
    provider.session.held = true;
    await stage.pass(BUDGET_MS + FALLBACK_MS + 3000);
    expect(stage.turns().at(-1)).toEqual('agent: I have pressed them.');
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Pressed 12.' });
  });

  it('is replaced when its session breaks before a sound: the caller does not wait for the next one', async () => {
    const { stage, provider } = await asked({ fallback: ['Until six.'] });
    provider.session.fail(true);
    await stage.pass(40);
    expect(stage.of('notice').map(({ code }) => code)).toContain('realtime_replaced');
    stage.recogniser.transcribes('When do you close?');
    await stage.pass(2000);
    expect(stage.turns().at(-1)).toBe('agent: Until six.');
  });

  it('counts for its breaker although it spoke before', async () => {
    const breaker = new CircuitBreaker(new ScriptedClock());
    const { stage, provider } = realtimeStage({ firstMessage: 'Hello.', fallback: ['Until six.'], breaker });
    await stage.pass(2000);
    provider.session.held = true;
    await stage.callerSpeaks();
    await stage.pass(600 + BUDGET_MS);
    expect(breaker.results).toEqual({ ok: 1, slow: 0, failed: 1 });
  });

  it('has all the time of the turn where there is no fallback', async () => {
    const { stage, provider } = realtimeStage({ answers: ['Until six.'] });
    await stage.pass(200);
    provider.session.held = true;
    await stage.callerSpeaks();
    await stage.pass(600 + 4000);
    provider.session.release();
    await stage.pass(1000);
    expect(stage.turns()).toEqual(['agent: Until six.']);
  });
});

describe('a speech-to-speech model that fails in mid-answer', () => {
  const broken = async (fail: (session: ReturnType<typeof realtimeStage>['provider']['session']) => void) => {
    const { stage, provider } = realtimeStage({ answers: ['', 'Until six.'], fallback: ['Until six.'] });
    await stage.pass(200);
    provider.session.held = true;
    await stage.callerSpeaks();
    await stage.pass(600);
    const { session } = provider;
    session.emit({ type: 'text', response: 1, delta: 'We are open' });
    session.emit({ type: 'audio', response: 1, audio: new Uint8Array(4000).fill(1) });
    await stage.pass(200);
    fail(session);
    await stage.pass(40);
    return stage.of('notice').map(({ code }) => code);
  };

  it('is replaced: the answer is the cascade’s from its beginning', async () => {
    const codes = await broken((session) =>
      session.emit({ type: 'response_finished', response: 1, outcome: 'failed' }),
    );
    expect(codes).toContain('realtime_replaced');
  });

  it('goes on over its next session where only the connection broke', async () => {
    const codes = await broken((session) => session.fail(true));
    expect(codes).toContain('realtime_reconnected');
    expect(codes).not.toContain('realtime_replaced');
  });
});

describe('a speech-to-speech model that stalls in mid-answer', () => {
  it('is not waited for without an end: the answer is begun anew, by the fallback where there is one', async () => {
    const { stage, provider } = realtimeStage({ answers: [''], fallback: ['We are open until six.'] });
    await stage.pass(200);
    provider.session.held = true;
    await stage.callerSpeaks();
    await stage.pass(600);
    const { session } = provider;
    session.emit({ type: 'caller_transcript', item: 'i1', text: 'When do you close?', final: true });
    session.emit({ type: 'text', response: 1, delta: 'We are open until' });
    session.emit({ type: 'audio', response: 1, audio: new Uint8Array(8000).fill(1) });
    await stage.pass(1000 + 2000 + 3000);
    expect(stage.transcript()).toEqual([
      'caller: When do you close?',
      'agent: We are open',
      'agent: We are open until six.',
    ]);
    expect(stage.of('notice').map(({ code }) => code)).toContain('realtime_replaced');
  });
});
