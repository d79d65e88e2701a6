import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../loadtest/emulators/openai/server.js';
import { selfSigned } from '../../../loadtest/emulators/serving/self-signed.js';
import type { Preparation } from './preparation.js';
import { WarmConnections } from './warm-connections.js';

const certificate = selfSigned();

/** Passes connections on to a server, and can let those that are open die unseen. */
class Network {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  opened = 0;

  constructor(port: number) {
    this.#server = createServer((near) => {
      this.opened += 1;
      const far = dial(port, '127.0.0.1');
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      near.on('error', () => {}).on('close', () => far.destroy());
      far.on('error', () => {}).on('close', () => near.destroy());
      near.pipe(far).pipe(near);
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as { port: number }).port;
  }

  /** Loses all that is sent over the connections that are open, without a word to either side. */
  die(): void {
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).resume();
      far.unpipe(near).resume();
    }
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('warm connections over HTTP/2', () => {
  let emulator: OpenAiEmulator;
  let network: Network;
  let clock: ScriptedClock;
  let connections: WarmConnections;
  let origin: string;
  let held: Preparation;

  beforeEach(async () => {
    emulator = await startOpenAiEmulator({ firstTokenDelayMs: 1, tokenDelayMs: 1, tls: certificate });
    network = new Network(emulator.port);
    origin = `https://127.0.0.1:${await network.listen()}`;
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
    network.die();
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
    network.die();
    clock.advance(1500);
    turn.abort(new Error('given up'));
    await expect(parts.next()).rejects.toThrow('given up');
    expect(await answered()).toContain('[DONE]');
  });

  it('that are idle are not asked beside one that does not answer', async () => {
    await Promise.all([answered(), answered()]);
    network.die();
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
