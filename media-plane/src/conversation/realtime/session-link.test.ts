import { PCMU_8K } from '@voice/shared/audio/format';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../providers/provider-error.js';
import { ScriptedRealtime } from '../../testing/scripted-realtime.js';
import { type ResponseSink, type SessionEvent, SessionLink } from './session-link.js';

const sink: ResponseSink = {
  onAudio: () => {},
  onText: () => {},
  onToolCallPart: () => {},
  onToolCall: () => {},
  onFinished: () => {},
};
const gone = new ProviderError({
  provider: 'scripted',
  kind: 'realtime',
  code: 'closed',
  message: 'It is over.',
  retryable: true,
});

/** A link in whose session a response has begun to speak. */
function speaking() {
  const clock = new ScriptedClock();
  const provider = new ScriptedRealtime([]);
  const usage: Extract<SessionEvent, { type: 'usage' }>[] = [];
  const link = new SessionLink({
    clock,
    open: (history, onEvent) => {
      const session = provider.open({
        choice: { provider: 'scripted', model: '', params: {} },
        credentials: {},
        instructions: '',
        language: 'en',
        tools: [],
        format: PCMU_8K,
        turnDetection: 'ours',
        history,
        clock,
        log: silentLog,
        onEvent,
      });
      provider.session.held = true;
      return session;
    },
    setUpCharacters: () => 400,
    history: () => [],
    unanswered: () => [],
    onEvent: (event) => event.type === 'usage' && usage.push(event),
    onReplaced: () => {},
    onFailed: () => {},
  });
  provider.session.emit({ type: 'ready' });
  const response = link.respond(undefined, sink);
  provider.session.emit({ type: 'text', response: 1, delta: 'We are open' });
  return { clock, provider, link, response, usage };
}

describe('what a response was generating is counted', () => {
  const estimated = [
    { type: 'usage', usage: { inputTextTokens: 100, outputAudioTokens: 15, outputTextTokens: 3 } },
  ];

  it('when the call ends, also where the response was cancelled before', () => {
    const { link, response, usage } = speaking();
    response.cancel();
    link.close(gone);
    link.close(gone);
    expect(usage).toMatchObject(estimated);
  });

  it.each([true, false])('when its session breaks (retryable: %s)', (retryable) => {
    const { provider, link, usage } = speaking();
    provider.session.fail(retryable);
    link.close(gone);
    expect(usage).toMatchObject(estimated);
  });

  it('when the next session takes over in the middle of it', () => {
    const { clock, provider, link, usage } = speaking();
    provider.session.emit({ type: 'expiring', inMs: 1000 });
    clock.advance(500);
    expect(provider.sessions.map(({ closed }) => closed)).toEqual([true, false]);
    link.close(gone);
    expect(usage).toMatchObject(estimated);
  });
});
