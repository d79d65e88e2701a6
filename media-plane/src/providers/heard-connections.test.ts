import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../loadtest/emulators/openai/server.js';
import { selfSigned } from '../../../loadtest/emulators/serving/self-signed.js';
import { Relay } from '../testing/relay.js';
import type { Preparation } from './preparation.js';
import { WarmConnections } from './warm-connections.js';

const certificate = selfSigned();

describe('warm connections over HTTP/2', () => {
  let emulator: OpenAiEmulator;
  let network: Relay;
  let clock: ScriptedClock;
  let connections: WarmConnections;
  let origin: string;
  let held: Preparation;

  beforeEach(async () => {
    emulator = await startOpenAiEmulator({ firstTokenDelayMs: 1, tokenDelayMs: 1, tls: certificate });
    network = await Relay.start(emulator.port);
    origin = `https://${network.host}`;
    clock = new ScriptedClock();
    connections = new WarmConnections({ clock, ca: certificate.cert });
    held = connections.hold(new URL(origin));
    await held.ready;
  });

  afterEach(async () => {
    held.release();
    await connections.close();
    await network.close();
    await emulator.close();
  });

  const ask = (signal?: AbortSignal) =>
    connections.dispatcher.request({
      origin,
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: '{"model":"gpt-4o-mini","stream":true,"messages":[{"role":"user","content":"Where are you?"}]}',
      ...(signal ? { signal } : {}),
    });

  /** Lets a request come onto its connection. */
  const sent = () => new Promise(setImmediate);

  async function answered(): Promise<string> {
    const { body } = await ask();
    return body.text();
  }

  /** Asks what is given up after so long without an answer. */
  async function givenUp(afterMs: number): Promise<void> {
    const turn = new AbortController();
    const answer = ask(turn.signal);
    await sent();
    clock.advance(afterMs);
    turn.abort(new Error('given up'));
    await expect(answer).rejects.toThrow('given up');
  }

  it('are kept over answers, and over one that is given up soon', async () => {
    expect(await answered()).toContain('[DONE]');
    await givenUp(900);
    expect(await answered()).toContain('[DONE]');
    // The one that is used, and the spare one.
    expect(network.opened).toBe(2);
  });

  it('that left a request unanswered are used no more', async () => {
    await answered();
    network.dieUnseen();
    await givenUp(1500);
    expect(await answered()).toContain('[DONE]');
    expect(await answered()).toContain('[DONE]');
  });

  it('that fell silent in mid-answer are used no more', async () => {
    emulator.faults.freezeNext = 1;
    emulator.faults.cutAfterTokens = 1;
    const turn = new AbortController();
    const { body } = await ask(turn.signal);
    const parts = body[Symbol.asyncIterator]();
    await parts.next();
    network.dieUnseen();
    clock.advance(1500);
    turn.abort(new Error('given up'));
    await expect(parts.next()).rejects.toThrow('given up');
    expect(await answered()).toContain('[DONE]');
  });

  it('that are idle are not asked beside one that does not answer', async () => {
    await Promise.all([answered(), answered()]);
    network.dieUnseen();
    const turn = new AbortController();
    const unanswered = ask(turn.signal);
    await sent();
    clock.advance(1500);
    expect(await answered()).toContain('[DONE]');
    turn.abort(new Error('given up'));
    await expect(unanswered).rejects.toThrow('given up');
    expect(await answered()).toContain('[DONE]');
  });

  it('are kept while an answer is late and others come', async () => {
    await Promise.all([answered(), answered()]);
    emulator.faults.stallNext = 1;
    const turn = new AbortController();
    const late = ask(turn.signal);
    await sent();
    clock.advance(500);
    await answered();
    const { opened } = network;
    clock.advance(1000);
    await answered();
    expect(network.opened).toBe(opened);
    turn.abort(new Error('given up'));
    await expect(late).rejects.toThrow('given up');
  });
});
