import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { framesOf, silentFrames, syntheticPhrase } from '../recognition/synthetic-phrase.js';
import { type OpenAiTranscriptionEmulator, startOpenAiTranscriptionEmulator } from './server.js';

const PHRASE = syntheticPhrase('Would Tuesday be possible?');
const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

interface Event {
  readonly type: string;
  readonly error?: { readonly code: string };
  readonly transcript?: string;
}

class Client {
  readonly events: Event[] = [];
  refused: number | undefined;
  readonly #socket: WebSocket;

  constructor(url: string, headers: Record<string, string>) {
    this.#socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    this.#socket.on('message', (data: Buffer) => this.events.push(JSON.parse(data.toString('utf8'))));
    this.#socket.on('unexpected-response', (_request, response) => {
      this.refused = response.statusCode;
      response.resume();
    });
    this.#socket.on('error', () => {});
  }

  async send(...messages: unknown[]): Promise<void> {
    await until(() => expect(this.#socket.readyState).toBe(WebSocket.OPEN));
    for (const message of messages) {
      this.#socket.send(message instanceof Uint8Array ? message : JSON.stringify(message));
    }
  }

  get types(): string[] {
    return this.events.map(({ type }) => type.replace('conversation.item.input_audio_transcription.', ''));
  }

  terminate(): void {
    this.#socket.terminate();
  }
}

const update = (input: object) => ({
  type: 'session.update',
  session: { type: 'transcription', audio: { input: { format: { type: 'audio/pcmu' }, ...input } } },
});
const LIVE = update({ transcription: { model: 'gpt-live-transcribe' }, turn_detection: null });
const append = (audio: Uint8Array) => ({
  type: 'input_audio_buffer.append',
  audio: Buffer.from(audio).toString('base64'),
});
const COMMIT = { type: 'input_audio_buffer.commit' };

describe('the OpenAI transcription emulator', () => {
  let emulator: OpenAiTranscriptionEmulator;
  const clients: Client[] = [];

  beforeEach(async () => {
    emulator = await startOpenAiTranscriptionEmulator({ phrasebook: [PHRASE], apiKeys: ['key'] });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.terminate();
    await emulator.close();
  });

  function connect(
    query = 'intent=transcription',
    headers: Record<string, string> = { authorization: 'Bearer key' },
  ) {
    const client = new Client(`${emulator.baseUrl}/realtime?${query}`, headers);
    clients.push(client);
    return client;
  }

  it('writes while somebody speaks, and the whole when it is committed', async () => {
    const client = connect();
    await client.send(LIVE, ...framesOf(PHRASE.audio).map(append), COMMIT);
    await until(() => expect(client.events.at(-1)?.transcript).toBe(PHRASE.text));
    expect(client.types).toEqual([
      'session.created',
      'session.updated',
      ...PHRASE.words.map(() => 'delta'),
      'input_audio_buffer.committed',
      'completed',
    ]);
  });

  it('finds the end of a turn for models that do not stream', async () => {
    const client = connect();
    const detection = { type: 'server_vad', silence_duration_ms: 300 };
    const input = { transcription: { model: 'gpt-4o-transcribe' }, turn_detection: detection };
    await client.send(update(input), ...[...framesOf(PHRASE.audio), ...silentFrames(400)].map(append));
    await until(() => expect(client.events.at(-1)?.transcript).toBe(PHRASE.text));
    expect(client.types.slice(2)).toEqual([
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'delta',
      'completed',
    ]);
  });

  it('fails on command to transcribe an item, and expires', async () => {
    Object.assign(emulator.faults, { untranscribedNext: 1, untranscribedCode: 'insufficient_quota' });
    const client = connect();
    await client.send(LIVE, ...framesOf(PHRASE.audio).map(append), COMMIT);
    await until(() => expect(client.types.at(-1)).toBe('failed'));
    expect(client.events.at(-1)?.error).toMatchObject({ code: 'insufficient_quota' });
    emulator.faults.expireNext = 1;
    await client.send(append(new Uint8Array(160)));
    await until(() => expect(client.events.at(-1)?.error).toMatchObject({ code: 'session_expired' }));
    await until(() => expect(emulator.counters.open).toBe(0));
  });

  it.each<[string, unknown[], string]>([
    ['audio before the configuration', [append(new Uint8Array(160))], 'invalid_event'],
    ['binary audio', [new Uint8Array(160)], 'invalid_event'],
    [
      'a detector for a model without',
      [update({ transcription: { model: 'gpt-live-transcribe' }, turn_detection: { type: 'server_vad' } })],
      'invalid_value',
    ],
    ['another model', [update({ transcription: { model: 'nova-3' } })], 'invalid_value'],
    [
      'a delay for a model without',
      [update({ transcription: { model: 'gpt-live-transcribe', delay: 'low' } })],
      'invalid_value',
    ],
    [
      'keywords for a model without',
      [update({ transcription: { model: 'gpt-4o-transcribe', keywords: ['a'] } })],
      'invalid_value',
    ],
    [
      'linear audio of another rate',
      [
        update({
          transcription: { model: 'gpt-live-transcribe' },
          format: { type: 'audio/pcm', rate: 16_000 },
        }),
      ],
      'invalid_value',
    ],
    ['an event that there is not', [LIVE, { type: 'response.create' }], 'invalid_value'],
    ['a commit of nothing', [LIVE, COMMIT], 'input_audio_buffer_commit_empty'],
  ])('reports %s', async (_case, messages, code) => {
    const client = connect();
    await client.send(...messages);
    await until(() => expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code } }));
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['no key', 'intent=transcription', {}, 401],
    ['a wrong key', 'intent=transcription', { authorization: 'Bearer wrong' }, 401],
    ['a conversation', 'model=gpt-realtime', { authorization: 'Bearer key' }, 400],
  ])('refuses %s', async (_case, query, headers, status) => {
    const client = connect(query, headers);
    await until(() => expect(client.refused).toBe(status));
  });
});
