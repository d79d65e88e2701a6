import { once } from 'node:events';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { ElevenLabsEmulatorOptions } from './options.js';
import { type ElevenLabsEmulator, startElevenLabsEmulator } from './server.js';

const QUERY = 'model_id=eleven_flash_v2_5&output_format=ulaw_8000&auto_mode=true&sync_alignment=true';
const SENTENCE = 'Good morning, how are you? ';

interface Message {
  readonly audio?: string | null;
  readonly isFinal?: boolean | null;
  readonly alignment?: { chars: string[]; charStartTimesMs: number[]; charDurationsMs: number[] } | null;
  readonly error?: string;
}

/** A client that keeps the messages it gets. */
class Client {
  readonly messages: Message[] = [];
  closed: number | undefined;
  status: number | undefined;
  readonly socket: WebSocket;

  constructor(url: string, headers: Record<string, string>) {
    this.socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    this.socket.on('message', (data: Buffer) => {
      this.messages.push(JSON.parse(data.toString('utf8')));
    });
    this.socket.on('close', (code) => {
      this.closed = code;
    });
    this.socket.on('unexpected-response', (_request, response) => {
      this.status = response.statusCode;
      response.resume();
    });
    this.socket.on('error', () => {});
  }

  async send(...messages: unknown[]): Promise<void> {
    if (messages.length === 0) return;
    await until(() => expect(this.socket.readyState).toBe(WebSocket.OPEN));
    for (const message of messages) {
      this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    }
  }

  /** Resolves when all that was sent before, by either side, has arrived. */
  async roundTrip(): Promise<void> {
    this.socket.ping();
    await once(this.socket, 'pong');
  }

  get audio(): Buffer {
    return Buffer.concat(this.messages.map((message) => Buffer.from(message.audio ?? '', 'base64')));
  }
}

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

describe('the ElevenLabs emulator', () => {
  let emulator: ElevenLabsEmulator;
  const clients: Client[] = [];

  async function start(options: ElevenLabsEmulatorOptions = {}) {
    await emulator?.close();
    emulator = await startElevenLabsEmulator({ apiKeys: ['key'], voiceIds: ['Ann'], speed: 100, ...options });
  }

  beforeEach(() => start());

  afterEach(async () => {
    for (const client of clients.splice(0)) client.socket.terminate();
    await emulator.close();
  });

  function connect(
    query = QUERY,
    headers: Record<string, string> = { 'xi-api-key': 'key' },
    voice = 'Ann',
  ): Client {
    const client = new Client(`${emulator.url}/v1/text-to-speech/${voice}/stream-input?${query}`, headers);
    clients.push(client);
    return client;
  }

  async function refused(client: Client, error: string): Promise<void> {
    await until(() => expect(client.closed).toBe(1008));
    expect(client.messages).toMatchObject([{ error, code: 1008 }]);
    expect(emulator.counters.violations).toBe(1);
  }

  it('speaks sentences in order and closes after the last', async () => {
    const client = connect();
    await client.send({ text: ' ' }, { text: SENTENCE }, { text: 'Goodbye. ' }, { text: '' });
    await until(() => expect(client.closed).toBe(1000));
    expect(client.messages.at(-1)).toMatchObject({ audio: null, isFinal: true });
    const chars = client.messages.flatMap((message) => message.alignment?.chars ?? []);
    expect(chars.join('')).toBe(`${SENTENCE}Goodbye. `);
    const durations = client.messages.flatMap((message) => message.alignment?.charDurationsMs ?? []);
    const totalMs = durations.reduce((sum, ms) => sum + ms, 0);
    expect(Math.abs(totalMs - client.audio.length / 8)).toBeLessThan(5);
    for (const { alignment } of client.messages) if (alignment) expect(alignment.charStartTimesMs[0]).toBe(0);
    expect(emulator.counters).toMatchObject({ turns: 1, completed: 1, violations: 0, characters: 34 });
  });

  it('speaks at a human rate, the same every time', async () => {
    const audio = [];
    for (let turn = 0; turn < 2; turn++) {
      const client = connect();
      await client.send({ text: ' ' }, { text: SENTENCE }, { text: '' });
      await until(() => expect(client.closed).toBe(1000));
      audio.push(client.audio);
    }
    expect(audio[0]!.length / 8000).toBeCloseTo(SENTENCE.length / 14, 1);
    expect(audio[0]!.equals(audio[1]!)).toBe(true);
  });

  it('makes the first audio wait, and the rest come faster than it is spoken', async () => {
    const clock = new ScriptedClock();
    await start({ clock, firstAudioDelayMs: 120, speed: 20, chunkMs: 200 });
    const client = connect();
    await client.send({ text: ' ' }, { text: SENTENCE });
    // Its two timers: the inactivity time-out, and the wait before it speaks.
    await until(() => expect(clock.pending).toBe(2));
    const messagesAfter = async (ms: number) => {
      clock.advance(ms);
      await client.roundTrip();
      return client.messages.length;
    };
    expect(await messagesAfter(119)).toBe(0);
    expect(await messagesAfter(1)).toBe(1);
    expect(client.audio).toHaveLength(200 * 8);
    expect(await messagesAfter(9)).toBe(1);
    expect(await messagesAfter(1)).toBe(2);
    expect(client.audio).toHaveLength(400 * 8);
    await client.send({ text: '' });
    await until(() => {
      clock.advance(10);
      expect(client.closed).toBe(1000);
    });
  });

  it('gathers text without auto_mode until it is enough, flushed or ended', async () => {
    const client = connect('model_id=eleven_flash_v2_5&output_format=ulaw_8000');
    await client.send({ text: ' ' }, { text: 'Good morning. ' });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(client.messages).toEqual([]);
    await client.send({ text: 'Hello. ', flush: true });
    await until(() => expect(client.messages.length).toBeGreaterThan(0));
    expect(client.messages[0]?.alignment?.chars.join('')).toBe('Good morning. Hello. ');
  });

  it('takes the key in the first message, too', async () => {
    const client = connect(QUERY, {});
    await client.send({ text: ' ', xi_api_key: 'key' }, { text: SENTENCE }, { text: '' });
    await until(() => expect(client.closed).toBe(1000));
  });

  it.each([
    ['a wrong key', { 'xi-api-key': 'wrong' }, []],
    ['no key at all', {}, [{ text: ' ' }]],
    ['a wrong key in the first message', {}, [{ text: ' ', xi_api_key: 'wrong' }]],
  ])('refuses %s', async (_case, headers, messages) => {
    const client = connect(QUERY, headers as Record<string, string>);
    await client.send(...messages);
    await refused(client, 'invalid_api_key');
  });

  it('refuses a voice that there is not, and another path', async () => {
    await refused(connect(QUERY, undefined, 'Bob'), 'voice_not_found');
    const elsewhere = new Client(`${emulator.url}/v1/text-to-speech/Ann/stream`, { 'xi-api-key': 'key' });
    await until(() => expect(elsewhere.status).toBe(404));
  });

  it.each([
    ['another format', 'model_id=eleven_flash_v2_5&output_format=mp3_44100_128'],
    ['no format', 'model_id=eleven_flash_v2_5'],
    ['no model', 'output_format=ulaw_8000'],
    ['a parameter that does not exist', `${QUERY}&voice=Ann`],
  ])('refuses %s', async (_case, query) => {
    await refused(connect(query), 'invalid_query');
  });

  it.each([
    ['text before the initialisation', [{ text: 'Hello. ' }]],
    ['text that does not end with a space', [{ text: ' ' }, { text: 'Hello.' }]],
    [
      'voice settings after the first message',
      [{ text: ' ' }, { text: 'Hi. ', voice_settings: { stability: 1 } }],
    ],
    ['a setting out of range', [{ text: ' ', voice_settings: { stability: 7 } }]],
    ['text after the end', [{ text: ' ' }, { text: '' }, { text: 'Hello. ' }]],
    ['what is not JSON', ['hello']],
    ['a field that does not exist', [{ text: ' ' }, { text: 'Hello. ', speed: 1 }]],
  ])('refuses %s', async (_case, messages) => {
    const client = connect();
    if (messages.length === 3) {
      // The end of an empty text closes at once; with something to say there is time to break the rule.
      messages.splice(1, 0, { text: SENTENCE });
      await start({ firstAudioDelayMs: 10_000 });
      const slow = connect();
      await slow.send(...messages);
      await refused(slow, 'invalid_message');
      return;
    }
    await client.send(...messages);
    await refused(client, 'invalid_message');
  });

  it('closes after the inactivity time-out, which a single space puts off', async () => {
    const clock = new ScriptedClock();
    await start({ clock, inactivityTimeoutMs: 300 });
    const client = connect();
    await client.send({ text: ' ' });
    for (let sent = 1; sent <= 4; sent++) {
      await client.roundTrip();
      clock.advance(200);
      await client.send({ text: ' ' });
      await until(() => expect(emulator.counters.keepAlives).toBe(sent));
    }
    expect(client.closed).toBeUndefined();
    clock.advance(300);
    await refused(client, 'input_timeout_exceeded');
    expect(client.audio).toHaveLength(0);
  });

  it('stops working when the client goes away', async () => {
    await start({ firstAudioDelayMs: 50, speed: 0.01 });
    const client = connect();
    await client.send({ text: ' ' }, { text: SENTENCE });
    await until(() => expect(client.messages.length).toBeGreaterThan(0));
    client.socket.terminate();
    await until(() => expect(emulator.counters).toMatchObject({ open: 0, aborted: 1, completed: 0 }));
  });

  it('speaks with a real voice when asked to', async () => {
    await start({ voice: 'espeak' });
    const client = connect();
    await client.send({ text: ' ' }, { text: SENTENCE }, { text: '' });
    await expect.poll(() => client.closed).toBe(1000);
    expect(client.audio.length / 8000).toBeGreaterThan(1);
    const starts = client.messages.flatMap((message) => message.alignment?.chars ?? []);
    expect(starts.join('')).toBe(SENTENCE);
  });
});
