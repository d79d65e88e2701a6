import { once } from 'node:events';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { DeepgramEmulatorOptions } from './options.js';
import { type DeepgramEmulator, startDeepgramEmulator } from './server.js';

const QUERY = 'model=aura-2-thalia-en&encoding=mulaw&sample_rate=8000';
const SENTENCE = 'Good morning, how are you? ';

/** A client that keeps what it gets, in order. */
class Client {
  readonly received: (string | Buffer)[] = [];
  closed: { code: number; reason: string } | undefined;
  refused: number | undefined;
  readonly #socket: WebSocket;

  constructor(url: string, headers: Record<string, string>) {
    this.#socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    this.#socket.on('message', (data: Buffer, isBinary) => {
      this.received.push(isBinary ? data : (JSON.parse(data.toString('utf8')) as { type: string }).type);
    });
    this.#socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString('utf8') };
    });
    this.#socket.on('unexpected-response', (_request, response) => {
      this.refused = response.statusCode;
      response.resume();
    });
    this.#socket.on('error', () => {});
  }

  async send(...messages: unknown[]): Promise<void> {
    await until(() => expect(this.#socket.readyState).toBe(WebSocket.OPEN));
    for (const message of messages) {
      this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    }
  }

  /** Resolves when all that was sent before, by either side, has arrived. */
  async roundTrip(): Promise<void> {
    this.#socket.ping();
    await once(this.#socket, 'pong');
  }

  get words(): string[] {
    return this.received.filter((one) => typeof one === 'string');
  }

  get audio(): Buffer {
    return Buffer.concat(this.received.filter((one) => typeof one !== 'string'));
  }

  terminate(): void {
    this.#socket.terminate();
  }
}

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });
const speak = (text: string) => ({ type: 'Speak', text });
const FLUSH = { type: 'Flush' };

describe('the Deepgram emulator’s text to speech', () => {
  let emulator: DeepgramEmulator;
  const clients: Client[] = [];

  async function start(options: DeepgramEmulatorOptions = {}) {
    await emulator?.close();
    emulator = await startDeepgramEmulator({ apiKeys: ['key'], speech: { speed: 100 }, ...options });
  }
  beforeEach(() => start());
  afterEach(async () => {
    for (const client of clients.splice(0)) client.terminate();
    await emulator.close();
  });

  function connect(query = QUERY, headers: Record<string, string> = { Authorization: 'Token key' }): Client {
    const client = new Client(`${emulator.url}/v1/speak?${query}`, headers);
    clients.push(client);
    return client;
  }

  it('speaks what was gathered when it is flushed, and says when all of it has come', async () => {
    const client = connect();
    await client.send(speak(SENTENCE), speak('Fine. '));
    await client.roundTrip();
    expect(client.received).toEqual(['Metadata']);
    await client.send(FLUSH);
    await until(() => expect(client.words).toEqual(['Metadata', 'Flushed']));
    expect(client.received.at(-1)).toBe('Flushed');
    expect(client.audio.length / 8000).toBeCloseTo((SENTENCE.length + 6) / 14, 1);
  });

  it('drops text and audio on Clear, and then speaks what is new', async () => {
    await start({ speech: { speed: 1, chunkMs: 100 } });
    const client = connect();
    await client.send(speak(SENTENCE), FLUSH);
    await until(() => expect(client.audio.length).toBeGreaterThan(0));
    await client.send({ type: 'Clear' });
    await client.roundTrip();
    expect(client.words).toEqual(['Metadata', 'Cleared']);
    const before = client.audio.length;
    await client.send(speak('Hi. '), FLUSH);
    await until(() => expect(client.words).toEqual(['Metadata', 'Cleared', 'Flushed']));
    expect((client.audio.length - before) / 8000).toBeCloseTo(4 / 14, 1);
  });

  it('speaks the rest and closes on Close', async () => {
    const client = connect();
    await client.send(speak(SENTENCE), { type: 'Close' });
    await until(() => expect(client.closed?.code).toBe(1000));
    expect(client.audio.length).toBeGreaterThan(0);
  });

  it('ignores the 21st flush of a minute, with a warning', async () => {
    const clock = new ScriptedClock();
    await start({ clock });
    const client = connect();
    await client.send(...Array.from({ length: 21 }, () => FLUSH));
    await until(() => expect(client.words.filter((word) => word === 'Flushed')).toHaveLength(20));
    expect(client.words).toContain('Warning');
    clock.advance(60_001);
    await client.send(FLUSH);
    await until(() => expect(client.words.filter((word) => word === 'Flushed')).toHaveLength(21));
    expect(emulator.counters.speech.ignoredFlushes).toBe(1);
  });

  it.each([
    ['what is not JSON', ['hello'], 'DATA-0000'],
    ['a message that there is not', [{ type: 'Stop' }], 'DATA-0000'],
    ['a field that there is not', [{ ...FLUSH, now: true }], 'DATA-0000'],
    ['a text of more than 2000 characters', [speak('a'.repeat(2001))], 'DATA-0001'],
  ])('closes on %s', async (_case, messages, reason) => {
    const client = connect();
    await client.send(...messages);
    await until(() => expect(client.closed).toMatchObject({ code: 1008 }));
    expect(client.closed?.reason).toContain(reason);
    expect(emulator.counters.speech.violations).toBe(1);
  });

  it.each([
    ['no key', QUERY, {}, 401],
    ['a wrong key', QUERY, { Authorization: 'Token wrong' }, 401],
    ['a voice that there is not', 'model=nova-3', undefined, 400],
    ['a rate that mu-law does not have', 'encoding=mulaw&sample_rate=24000', undefined, 400],
    ['a speed out of range', `${QUERY}&speed=2`, undefined, 400],
    ['a parameter that there is not', `${QUERY}&voice=thalia`, undefined, 400],
  ])('refuses %s', async (_case, query, headers, status) => {
    const client = connect(query, headers as Record<string, string> | undefined);
    await until(() => expect(client.refused).toBe(status));
  });
});
