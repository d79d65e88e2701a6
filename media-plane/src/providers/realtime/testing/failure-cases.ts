import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { moment } from '../../testing/moment.js';
import type { RealtimeOptions } from '../port.js';
import type { RealtimeBench } from './bench.js';
import { eventually, plain, type RealtimeListener } from './listener.js';

/** Longest time in which a session must be ready or have failed, in ms. */
const CONNECT_DEADLINE_MS = 30_000;

export function describeFailures(bench: () => RealtimeBench) {
  /** Checks that the session has failed, once, and that nothing follows whatever is asked of it. */
  async function failed(listener: RealtimeListener, error: Readonly<Record<string, unknown>>): Promise<void> {
    await eventually(() => expect(listener.of('failed')).toHaveLength(1));
    expect(listener.of('failed')[0]!.error).toMatchObject({
      name: 'ProviderError',
      kind: 'realtime',
      ...error,
    });
    listener.silence(200);
    listener.session.commit();
    listener.session.respond();
    listener.session.addNote('too late');
    await moment();
    expect(listener.events.at(-1)!.type).toBe('failed');
    expect(listener.of('failed')).toHaveLength(1);
  }

  describe('when things go wrong', () => {
    it('fails for good with a key that the provider refuses, or without one', async () => {
      const { harness, open } = bench();
      for (const credentials of [harness.badCredentials, { ...harness.badCredentials, api_key: undefined }]) {
        const listener = open({ credentials });
        expect(listener.events).toEqual([]);
        await failed(listener, { code: 'realtime_unauthorized', retryable: false });
      }
    });

    it('fails for good with a model that the provider does not have', async () => {
      const { harness, open } = bench();
      const choice = { ...harness.options.choice, model: harness.badModel };
      await failed(open({ choice }), { code: 'realtime_bad_request', retryable: false });
    });

    it('fails for good with settings that are not valid, and names them', async () => {
      const { harness, open } = bench();
      const choice = { ...harness.options.choice, params: { ...harness.options.choice.params, voice: 42 } };
      const listener = open({ choice });
      await failed(listener, { code: 'realtime_bad_request', retryable: false });
      expect(listener.of('failed')[0]!.error.message).toContain('voice');
    });

    const deadline = async (overrides: Partial<RealtimeOptions>, clock: ScriptedClock) => {
      const { harness, open } = bench();
      const listener = open({ ...overrides, clock });
      listener.silence(200);
      await eventually(() => expect(harness.attempts()).toBe(1));
      await moment();
      expect(listener.events).toEqual([]);
      clock.advance(CONNECT_DEADLINE_MS);
      await failed(listener, { code: 'realtime_timed_out', retryable: true });
      listener.session.close();
      expect(clock.pending).toBe(0);
    };

    it('fails in time when the handshake hangs', async () => {
      const release = bench().harness.faults.holdNextHandshake();
      await deadline({}, new ScriptedClock(Date.now()));
      release();
    });

    it('fails in time when the provider accepts it and stays silent', async () => {
      bench().harness.faults.muteNext();
      await deadline({}, new ScriptedClock(Date.now()));
    });

    it('fails, and retryably, when its connection is torn', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      harness.faults.disconnect();
      await failed(listener, { code: 'realtime_disconnected', retryable: true });
    });

    it('gives what came and then fails when it is torn within a response', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      harness.faults.cutNextResponse();
      const response = listener.ask(harness.phrases[0]!.frames);
      await failed(listener, { code: 'realtime_disconnected', retryable: true });
      expect(listener.audioMs(response)).toBeGreaterThan(0);
      expect(harness.phrases[0]!.answer.startsWith(plain(listener.text(response)))).toBe(true);
    });

    it('goes on after a response that failed', async ({ skip }) => {
      const { harness, open } = bench();
      if (!harness.faults.failNextResponse) return skip('the provider has no failed responses');
      const listener = await open().ready();
      harness.faults.failNextResponse();
      const response = listener.ask(harness.phrases[0]!.frames);
      await eventually(() => expect(listener.finished(response)?.outcome).toBe('failed'));
      expect(listener.finished(response)!.error).toMatchObject({ name: 'ProviderError', kind: 'realtime' });
      expect(listener.of('failed')).toEqual([]);
      const next = listener.ask(harness.phrases[1]!.frames);
      await listener.completed(next);
      expect(plain(listener.text(next))).toBe(harness.phrases[1]!.answer);
    });

    it('survives what it does not understand', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      harness.faults.sendGarbage();
      const response = listener.ask(harness.phrases[0]!.frames);
      await listener.completed(response);
      expect(plain(listener.text(response))).toBe(harness.phrases[0]!.answer);
      expect(listener.of('failed')).toEqual([]);
    });

    it('says ahead of time that the provider will end the session', async () => {
      const { harness, open } = bench();
      harness.faults.expireSoon();
      const listener = await open().ready();
      await eventually(() => expect(listener.of('expiring')).toHaveLength(1));
      const { inMs } = listener.of('expiring')[0]!;
      expect(inMs).toBeGreaterThan(0);
      expect(inMs).toBeLessThanOrEqual(60_000);
      const response = listener.ask(harness.phrases[0]!.frames);
      await listener.completed(response);
    });

    it('fails, and retryably, when the session is over', async () => {
      const { harness, open } = bench();
      const listener = await open().ready();
      harness.faults.expireNow();
      await failed(listener, { retryable: true });
    });
  });
}
