import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { framesOf, silentFrames, syntheticPhrase } from '../recognition/synthetic-phrase.js';
import { type AssemblyAiEmulator, startAssemblyAiEmulator } from './server.js';

const PHRASE = syntheticPhrase('Would Tuesday be possible?');
const QUERY = 'speech_model=universal-streaming-english&sample_rate=8000&encoding=pcm_mulaw';
const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

interface Message {
  readonly type: string;
  readonly end_of_turn?: boolean;
  readonly turn_is_formatted?: boolean;
  readonly transcript?: string;
  readonly words?: { readonly word_is_final: boolean }[];
}

class Client {
  readonly messages: Message[] = [];
  refused: number | undefined;
  closed: number | undefined;
  readonly #socket: WebSocket;

  constructor(url: string, headers: Record<string, string>) {
    this.#socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    this.#socket.on('message', (data: Buffer) => this.messages.push(JSON.parse(data.toString('utf8'))));
    this.#socket.on('close', (code) => {
      this.closed = code;
    });
    this.#socket.on('unexpected-response', (_request, response) => {
      this.refused = response.statusCode;
      response.resume();
    });
    this.#socket.on('error', () => {});
  }

  async send(...messages: (object | Uint8Array)[]): Promise<void> {
    await until(() => expect(this.#socket.readyState).toBe(WebSocket.OPEN));
    for (const message of messages) {
      this.#socket.send(message instanceof Uint8Array ? message : JSON.stringify(message));
    }
  }

  terminate(): void {
    this.#socket.terminate();
  }
}

/** Puts frames together to messages of 60 ms. */
function messages(frames: readonly Uint8Array[]): Uint8Array[] {
  const joined: Uint8Array[] = [];
  for (let at = 0; at + 3 <= frames.length; at += 3) joined.push(Buffer.concat(frames.slice(at, at + 3)));
  return joined;
}

describe('the AssemblyAI emulator', () => {
  let emulator: AssemblyAiEmulator;
  const clients: Client[] = [];

  beforeEach(async () => {
    emulator = await startAssemblyAiEmulator({ phrasebook: [PHRASE], apiKeys: ['key'] });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.terminate();
    await emulator.close();
  });

  function connect(query = QUERY, headers: Record<string, string> = { authorization: 'key' }) {
    const client = new Client(`${emulator.url}/v3/ws?${query}`, headers);
    clients.push(client);
    return client;
  }

  it('lets a turn grow, and ends it plain and then formatted', async () => {
    const client = connect(`${QUERY}&format_turns=true`);
    await client.send(...messages([...framesOf(PHRASE.audio), ...silentFrames(600)]));
    await until(() => expect(client.messages.at(-1)).toMatchObject({ turn_is_formatted: true }));
    const turns = client.messages.filter(({ type }) => type === 'Turn');
    expect(turns.map(({ end_of_turn }) => end_of_turn)).toEqual([false, false, false, false, true, true]);
    expect(turns[0]).toMatchObject({ transcript: '', words: [{ word_is_final: false }] });
    expect(turns.at(-2)).toMatchObject({ transcript: 'would tuesday be possible' });
    expect(turns.at(-1)).toMatchObject({ transcript: PHRASE.text });
  });

  it('ends a turn when it is forced, and a session when it is terminated', async () => {
    const client = connect();
    await client.send(...messages([...framesOf(PHRASE.audio), ...silentFrames(60)]), {
      type: 'ForceEndpoint',
    });
    await until(() => expect(client.messages.at(-1)).toMatchObject({ end_of_turn: true }));
    await client.send({ type: 'Terminate' });
    await until(() => expect(client.closed).toBe(1000));
    expect(client.messages.at(-1)?.type).toBe('Termination');
  });

  it.each<[string, (object | Uint8Array)[], number]>([
    ['a message that there is not', [{ type: 'Finalize' }], 3006],
    ['audio of 20 ms', [new Uint8Array(160)], 3007],
    ['audio of more than a second', [new Uint8Array(8008)], 3007],
  ])('closes on %s', async (_case, sent, code) => {
    const client = connect();
    await client.send(...sent);
    await until(() => expect(client.closed).toBe(code));
    expect(client.messages.at(-1)?.type).toBe('Error');
    expect(emulator.counters.violations).toBe(1);
  });

  it.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'wrong' }],
    ['a Bearer', { authorization: 'Bearer key' }],
  ])('closes on %s', async (_case, headers) => {
    const client = connect(QUERY, headers as Record<string, string>);
    await until(() => expect(client.closed).toBe(1008));
  });

  it.each([
    ['no model', 'sample_rate=8000&encoding=pcm_mulaw'],
    ['another encoding', `${QUERY}&encoding=opus`],
    ['mu-law at another rate', 'speech_model=u3-rt-pro&sample_rate=16000&encoding=pcm_mulaw'],
    ['a threshold out of range', `${QUERY}&end_of_turn_confidence_threshold=2`],
    ['terms that are no list', `${QUERY}&keyterms_prompt=Vitaphone`],
    ['a parameter that there is not', `${QUERY}&language_hint=en`],
  ])('refuses %s', async (_case, query) => {
    const client = connect(query);
    await until(() => expect(client.refused).toBe(400));
  });
});
