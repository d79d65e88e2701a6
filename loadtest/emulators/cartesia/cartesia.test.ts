import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type CartesiaEmulator, startCartesiaEmulator } from './server.js';

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

interface Message {
  readonly type: string;
  readonly context_id?: string;
  readonly data?: string;
  readonly message?: string;
  readonly word_timestamps?: { words: string[]; start: number[]; end: number[] };
}

class Client {
  readonly messages: Message[] = [];
  refused: number | undefined;
  readonly #socket: WebSocket;

  constructor(url: string, headers: Record<string, string>) {
    this.#socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    this.#socket.on('message', (data: Buffer) => this.messages.push(JSON.parse(data.toString('utf8'))));
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

  of(contextId: string): Message[] {
    return this.messages.filter(({ context_id: id }) => id === contextId);
  }

  terminate(): void {
    this.#socket.terminate();
  }
}

const input = (context_id: string, transcript: string, continues: boolean, change: object = {}) => ({
  context_id,
  model_id: 'sonic-3',
  transcript,
  voice: { mode: 'id', id: 'voice-1' },
  language: 'en',
  output_format: { container: 'raw', encoding: 'pcm_mulaw', sample_rate: 8000 },
  continue: continues,
  add_timestamps: true,
  max_buffer_delay_ms: 0,
  ...change,
});

describe('the Cartesia emulator', () => {
  let emulator: CartesiaEmulator;
  const clients: Client[] = [];

  beforeEach(async () => {
    emulator = await startCartesiaEmulator({ apiKeys: ['key'], speed: 100, contextLifeMs: 30 });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.terminate();
    await emulator.close();
  });

  function connect(
    query = 'cartesia_version=2026-03-01',
    headers: Record<string, string> = { 'x-api-key': 'key' },
  ) {
    const client = new Client(`${emulator.url}/tts/websocket?${query}`, headers);
    clients.push(client);
    return client;
  }

  it('speaks contexts side by side, each with its words on its own clock', async () => {
    const client = connect();
    await client.send(
      input('a', 'Good morning. ', true),
      input('b', 'Hello. ', false),
      input('a', 'Bye.', false),
    );
    await until(() => expect(client.messages.filter(({ type }) => type === 'done')).toHaveLength(2));
    const times = client.of('a').flatMap(({ word_timestamps: words }) => (words ? [words] : []));
    expect(times.flatMap(({ words }) => words)).toEqual(['Good', 'morning.', 'Bye.']);
    const starts = times.flatMap(({ start }) => start);
    expect(starts).toEqual([...starts].sort((one, other) => one - other));
    const bytes = client.of('a').reduce((sum, { data = '' }) => sum + Buffer.from(data, 'base64').length, 0);
    expect(bytes / 8000).toBeCloseTo('Good morning. Bye.'.length / 14, 1);
  });

  it('lets a context expire that gets no more text', async () => {
    const client = connect();
    await client.send(input('a', 'Hello. ', true));
    await until(() => expect(client.messages.at(-1)?.type).toBe('done'));
    await client.send(input('a', 'Again. ', true));
    await until(() =>
      expect(client.messages.at(-1)).toMatchObject({ type: 'error', message: 'the context has ended' }),
    );
    expect(emulator.counters.expired).toBe(1);
  });

  it('says no more of a context that is cancelled', async () => {
    const client = connect();
    await client.send(
      input('a', 'Hello. '.repeat(50), true),
      { context_id: 'a', cancel: true },
      input('b', 'Hi.', false),
    );
    await until(() => expect(client.messages.at(-1)).toMatchObject({ type: 'done', context_id: 'b' }));
    expect(client.of('a').some(({ type }) => type === 'done')).toBe(false);
  });

  it.each<[string, unknown[]]>([
    ['what is not JSON', ['hello']],
    ['no voice', [input('a', 'Hi.', false, { voice: undefined })]],
    ['another model', [input('a', 'Hi.', false, { model_id: 'aura' })]],
    ['a packed format', [input('a', 'Hi.', false, { output_format: { container: 'mp3' } })]],
    [
      'mu-law at another rate',
      [
        input('a', 'Hi.', false, {
          output_format: { container: 'raw', encoding: 'pcm_mulaw', sample_rate: 16_000 },
        }),
      ],
    ],
    ['a speed out of range', [input('a', 'Hi.', false, { generation_config: { speed: 3 } })]],
    ['a field that there is not', [input('a', 'Hi.', false, { style: 'calm' })]],
    [
      'other settings in the same context',
      [input('a', 'Hi. ', true), input('a', 'Ho.', false, { language: 'de' })],
    ],
    ['text after the last input', [input('a', 'Hi. ', false), input('a', 'Ho.', false)]],
  ])('refuses %s', async (_case, messages) => {
    const client = connect();
    await client.send(...messages);
    await until(() => expect(client.messages.some(({ type }) => type === 'error')).toBe(true));
    expect(emulator.counters.violations).toBe(1);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['no key', 'cartesia_version=2026-03-01', {}, 401],
    ['a wrong key', 'cartesia_version=2026-03-01', { 'x-api-key': 'wrong' }, 401],
    ['no version', '', { 'x-api-key': 'key' }, 400],
  ])('refuses %s', async (_case, query, headers, status) => {
    const client = connect(query, headers);
    await until(() => expect(client.refused).toBe(status));
  });
});
