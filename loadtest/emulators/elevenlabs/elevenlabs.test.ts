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
  readonly contextId?: string;
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
    return this.audioOf(undefined);
  }

  /** The audio of a context; of all without one. */
  audioOf(context: string | undefined): Buffer {
    const wanted = this.messages.filter(({ contextId }) => context === undefined || contextId === context);
    return Buffer.concat(wanted.map((message) => Buffer.from(message.audio ?? '', 'base64')));
  }

  /** The contexts whose final message has come, in order. */
  get finals(): (string | undefined)[] {
    return this.messages.filter(({ isFinal }) => isFinal).map(({ contextId }) => contextId);
  }

  /** Lets a context speak, and closes it behind its text. */
  async says(context: string, ...texts: string[]): Promise<void> {
    await this.send(open(context), ...texts.map((text) => say(context, text)), flush(context));
    await until(() => expect(this.audioOf(context).length).toBeGreaterThan(0));
    await this.send(close(context));
  }
}

const open = (context: string, more = {}) => ({ text: ' ', context_id: context, ...more });
const say = (context: string, text: string) => ({ text, context_id: context });
const flush = (context: string) => ({ flush: true, context_id: context });
const close = (context: string) => ({ close_context: true, context_id: context });
const keepAlive = (context: string) => say(context, '');
const SPEAKS_LONG = { ...say('a', SENTENCE), flush: true };
const END_SOCKET = { close_socket: true };

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
    const client = new Client(
      `${emulator.url}/v1/text-to-speech/${voice}/multi-stream-input?${query}`,
      headers,
    );
    clients.push(client);
    return client;
  }

  async function refused(client: Client, error: string): Promise<void> {
    await until(() => expect(client.closed).toBe(1008));
    expect(client.messages.at(-1)).toMatchObject({ error, code: 1008 });
    expect(emulator.counters.violations).toBe(1);
  }

  it('speaks sentences in order, ends each context behind its text and keeps the connection', async () => {
    const client = connect();
    await client.says('a', SENTENCE, 'Goodbye. ');
    await until(() => expect(client.finals).toEqual(['a']));
    const chars = client.messages.flatMap((message) => message.alignment?.chars ?? []);
    expect(chars.join('')).toBe(`${SENTENCE}Goodbye. `);
    const durations = client.messages.flatMap((message) => message.alignment?.charDurationsMs ?? []);
    const totalMs = durations.reduce((sum, ms) => sum + ms, 0);
    expect(Math.abs(totalMs - client.audio.length / 8)).toBeLessThan(5);
    for (const { alignment } of client.messages) if (alignment) expect(alignment.charStartTimesMs[0]).toBe(0);
    expect(emulator.counters).toMatchObject({ turns: 1, completed: 1, violations: 0, characters: 34 });
    await client.says('b', 'Hello again. ');
    await until(() => expect(client.finals).toEqual(['a', 'b']));
    expect(client.closed).toBeUndefined();
  });

  it('speaks at a human rate, the same every time, also in two contexts at once', async () => {
    const client = connect();
    await Promise.all([client.says('a', SENTENCE), client.says('b', SENTENCE)]);
    await until(() => expect(client.finals).toHaveLength(2));
    expect(client.audioOf('a').length / 8000).toBeCloseTo(SENTENCE.length / 14, 1);
    expect(client.audioOf('a').equals(client.audioOf('b'))).toBe(true);
  });

  it('makes the first audio wait, and the rest come faster than it is spoken', async () => {
    const clock = new ScriptedClock();
    await start({ clock, firstAudioDelayMs: 120, speed: 20, chunkMs: 200 });
    const client = connect();
    await client.send(open('a'), say('a', SENTENCE));
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
    await client.send(flush('a'), close('a'));
    await until(() => {
      clock.advance(10);
      expect(client.finals).toEqual(['a']);
    });
  });

  it('gathers text without auto_mode until it is enough or flushed', async () => {
    const client = connect('model_id=eleven_flash_v2_5&output_format=ulaw_8000');
    await client.send(open('a'), say('a', 'Good morning. '));
    await client.roundTrip();
    expect(client.messages).toEqual([]);
    await client.send({ ...say('a', 'Hello. '), flush: true });
    await until(() => expect(client.messages.length).toBeGreaterThan(0));
    expect(client.messages[0]?.alignment?.chars.join('')).toBe('Good morning. Hello. ');
  });

  it('stops what is closed before it is flushed, and speaks on in the next context', async () => {
    await start({ speed: 0.1 });
    const client = connect();
    await client.send(open('a'), say('a', SENTENCE));
    await until(() => expect(client.audio.length).toBeGreaterThan(0));
    await client.send(close('a'));
    await until(() => expect(client.finals).toEqual(['a']));
    await client.send(open('b'), say('b', 'Yes. '));
    await until(() => expect(client.audioOf('b').length).toBeGreaterThan(0));
    expect(emulator.counters).toMatchObject({ connections: 1, aborted: 1, completed: 0 });
  });

  it('loses text that is closed before its first audio, as the service does under load', async () => {
    await start({ firstAudioDelayMs: 50 });
    const client = connect();
    await client.send(open('a'), say('a', SENTENCE), flush('a'), close('a'));
    await until(() => expect(client.finals).toEqual(['a']));
    expect(client.audio).toHaveLength(0);
    expect(emulator.counters).toMatchObject({ aborted: 1, completed: 0 });
  });

  it('closes the socket when it is asked to, behind what was flushed', async () => {
    const client = connect();
    await client.send(open('a'), say('a', SENTENCE), flush('a'));
    await until(() => expect(client.audio.length).toBeGreaterThan(0));
    await client.send({ close_socket: true });
    await until(() => expect(client.closed).toBe(1000));
    expect(client.finals).toEqual(['a']);
  });

  it('has five contexts at most, those among them that are closed and still speak', async () => {
    await start({ speed: 0.1 });
    const client = connect();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await client.send(open(id));
    await client.send(close('e'), open('f'), say('f', SENTENCE), flush('f'));
    await until(() => expect(client.audioOf('f').length).toBeGreaterThan(0));
    expect(client.finals).toEqual(['e']);
    await client.send(close('f'), open('g'));
    await refused(client, 'max_active_conversations');
  });

  it('takes the key in the first message, too', async () => {
    const client = connect(QUERY, {});
    await client.send(open('a', { xi_api_key: 'key' }), say('a', SENTENCE));
    await until(() => expect(client.audio.length).toBeGreaterThan(0));
  });

  it.each([
    ['a wrong key', { 'xi-api-key': 'wrong' }, []],
    ['no key at all', {}, [open('a')]],
    ['a wrong key in the first message', {}, [open('a', { xi_api_key: 'wrong' })]],
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
    ['text before the initialisation', [say('a', 'Hello. ')]],
    ['text for another context than the one that is open', [open('a'), say('b', 'Hello. ')]],
    ['a message that names no context', [{ text: ' ' }]],
    ['to flush a context that is not open', [open('a'), flush('b')]],
    ['to close a context that is not open', [open('a'), close('b')]],
    ['to keep a context alive that is not open', [open('a'), keepAlive('b')]],
    ['to close a context twice', [open('a'), close('a'), close('a')]],
    ['text after its context was closed', [open('a'), say('a', SENTENCE), close('a'), say('a', 'Yes. ')]],
    ['a message after the socket was asked to close', [open('a'), SPEAKS_LONG, END_SOCKET, open('b')]],
    ['text that does not end with a space', [open('a'), say('a', 'Hello.')]],
    ['voice settings after the first message', [open('a'), { ...say('a', 'Hi. '), voice_settings: {} }]],
    ['a setting out of range', [open('a', { voice_settings: { stability: 7 } })]],
    ['what is not JSON', ['hello']],
    ['a message that says nothing', [open('a'), { context_id: 'a' }]],
    ['a field that does not exist', [open('a'), { ...say('a', 'Hello. '), speed: 1 }]],
  ])('refuses %s', async (_case, messages) => {
    await start({ firstAudioDelayMs: 0, speed: 0.1 });
    const client = connect();
    for (const message of messages) {
      await client.send(message);
      // What was flushed is spoken on behind the end; before its first audio there is nothing to speak on.
      if (message === SPEAKS_LONG) await until(() => expect(client.audio.length).toBeGreaterThan(0));
    }
    await refused(client, 'invalid_message');
  });

  it('closes after the inactivity time-out of a context, which an empty text puts off', async () => {
    const clock = new ScriptedClock();
    await start({ clock, inactivityTimeoutMs: 300 });
    const client = connect();
    await client.send(open('a'));
    for (let sent = 1; sent <= 4; sent++) {
      await client.roundTrip();
      clock.advance(200);
      await client.send(keepAlive('a'));
      await until(() => expect(emulator.counters.keepAlives).toBe(sent));
    }
    expect(client.closed).toBeUndefined();
    await client.send(open('b'));
    await client.roundTrip();
    clock.advance(200);
    await client.send(keepAlive('b'));
    await until(() => expect(emulator.counters.keepAlives).toBe(5));
    clock.advance(100);
    await refused(client, 'input_timeout_exceeded');
    expect(client.audio).toHaveLength(0);
  });

  it('closes a connection without a context after the same time', async () => {
    const clock = new ScriptedClock();
    await start({ clock, inactivityTimeoutMs: 300 });
    const client = connect();
    await client.send(open('a'), close('a'));
    await until(() => expect(client.finals).toEqual(['a']));
    clock.advance(300);
    await refused(client, 'input_timeout_exceeded');
  });

  it('stops working when the client goes away', async () => {
    await start({ firstAudioDelayMs: 50, speed: 0.01 });
    const client = connect();
    await client.send(open('a'), say('a', SENTENCE));
    await until(() => expect(client.messages.length).toBeGreaterThan(0));
    client.socket.terminate();
    await until(() => expect(emulator.counters).toMatchObject({ open: 0, aborted: 1, completed: 0 }));
  });

  it('speaks with a real voice when asked to', async () => {
    await start({ voice: 'espeak' });
    const client = connect();
    await client.says('a', SENTENCE);
    await expect.poll(() => client.finals).toEqual(['a']);
    expect(client.audio.length / 8000).toBeGreaterThan(1);
    const starts = client.messages.flatMap((message) => message.alignment?.chars ?? []);
    expect(starts.join('')).toBe(SENTENCE);
  });
});
