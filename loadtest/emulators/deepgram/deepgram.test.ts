import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { framesOf, silentFrames, syntheticPhrase } from '../recognition/synthetic-phrase.js';
import type { DeepgramEmulatorOptions } from './options.js';
import { type DeepgramEmulator, startDeepgramEmulator } from './server.js';

const TUESDAY = syntheticPhrase('Would Tuesday be possible?');
const THANKS = syntheticPhrase('Thank you, goodbye.');
const NOVA = 'model=nova-3&encoding=mulaw&sample_rate=8000';
const FLUX = 'model=flux-general-en&encoding=mulaw&sample_rate=8000';

type Message = Readonly<Record<string, unknown>> & { readonly type: string };

/** A client that keeps the messages it gets. */
class Client {
  readonly messages: Message[] = [];
  garbage = 0;
  closed: { code: number; reason: string } | undefined;
  refused: { status: number; body: string } | undefined;
  readonly #socket: WebSocket;

  constructor(url: string, headers: Record<string, string> = { Authorization: 'Token key' }) {
    this.#socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    this.#socket.on('message', (data: Buffer) => {
      const text = data.toString('utf8');
      if (text.startsWith('{')) this.messages.push(JSON.parse(text));
      else this.garbage += 1;
    });
    this.#socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString('utf8') };
    });
    this.#socket.on('unexpected-response', (_request, response) => {
      let body = '';
      response.on('data', (part: Buffer) => {
        body += part.toString('utf8');
      });
      response.on('end', () => {
        this.refused = { status: response.statusCode ?? 0, body };
      });
    });
    this.#socket.on('error', () => {});
  }

  async opened(): Promise<this> {
    await until(() => expect(this.#socket.readyState).toBe(WebSocket.OPEN));
    return this;
  }

  control(type: string): void {
    this.#socket.send(JSON.stringify({ type }));
  }

  text(text: string): void {
    this.#socket.send(text);
  }

  audio(frames: readonly Uint8Array[]): void {
    for (const frame of frames) this.#socket.send(frame);
  }

  of(type: string): Message[] {
    return this.messages.filter((message) => message.type === type);
  }

  terminate(): void {
    this.#socket.terminate();
  }
}

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

interface ResultsMessage {
  start: number;
  duration: number;
  is_final: boolean;
  speech_final: boolean;
  from_finalize: boolean;
  channel: { alternatives: { transcript: string; words: { word: string; start: number; end: number }[] }[] };
}

const results = (client: Client) => client.of('Results') as unknown as ResultsMessage[];
const transcripts = (client: Client) => {
  return results(client).map((message) => message.channel.alternatives[0]!.transcript);
};

describe('the Deepgram emulator', () => {
  let emulator: DeepgramEmulator;
  const clients: Client[] = [];

  async function start(options: DeepgramEmulatorOptions = {}): Promise<void> {
    await emulator?.close();
    emulator = await startDeepgramEmulator({
      phrasebook: [TUESDAY, THANKS],
      apiKeys: ['key'],
      delays: { speechStartedDelayMs: 0, interimDelayMs: 0, finalDelayMs: 0 },
      ...options,
    });
  }

  beforeEach(() => start());

  afterEach(async () => {
    for (const client of clients.splice(0)) client.terminate();
    await emulator.close();
  });

  function connect(path: string, headers?: Record<string, string>): Client {
    const client = new Client(`${emulator.url}${path}`, headers);
    clients.push(client);
    return client;
  }

  describe('at the door', () => {
    it.each([
      ['without a key', {}],
      ['with a wrong key', { Authorization: 'Token wrong' }],
      ['with a Bearer instead of a Token', { Authorization: 'Bearer key' }],
    ])('refuses a client %s with 401', async (_case, headers) => {
      const client = connect(`/v1/listen?${NOVA}`, headers);
      await until(() => expect(client.refused?.status).toBe(401));
      expect(client.refused?.body).toContain('INVALID_AUTH');
      expect(emulator.counters).toMatchObject({ refused: 1, connections: 0 });
    });

    it.each([
      ['an unknown encoding', '/v1/listen?model=nova-3&encoding=mp3&sample_rate=8000', 'encoding'],
      [
        'a sample rate that mu-law does not have',
        '/v1/listen?model=nova-3&encoding=mulaw&sample_rate=16000',
        'sample_rate',
      ],
      ['no encoding', '/v1/listen?model=nova-3', 'encoding'],
      ['an unknown model', '/v1/listen?model=nova-99x&encoding=mulaw&sample_rate=8000', 'model'],
      ['a parameter that does not exist', `/v1/listen?${NOVA}&endpoint=300`, 'endpoint'],
      ['too short a gap between utterances', `/v1/listen?${NOVA}&utterance_end_ms=500`, 'utterance_end_ms'],
      ['a number that is none', `/v1/listen?${NOVA}&endpointing=soon`, 'endpointing'],
      ['a region that it does not know', `/v1/listen?${NOVA}&language=de-DE`, 'language'],
      ['a parameter twice', `/v1/listen?${NOVA}&punctuate=true&punctuate=true`, 'punctuate'],
      ["Nova's parameters on Flux", `/v2/listen?${FLUX}&interim_results=true`, 'interim_results'],
      ['a threshold out of range', `/v2/listen?${FLUX}&eot_threshold=0.2`, 'eot_threshold'],
      [
        'an eager threshold above the other',
        `/v2/listen?${FLUX}&eot_threshold=0.6&eager_eot_threshold=0.8`,
        'eager',
      ],
    ])('refuses %s with 400', async (_case, path, named) => {
      const client = connect(path);
      await until(() => expect(client.refused?.status).toBe(400));
      expect(client.refused?.body).toContain(named);
    });

    it('refuses another path with 404', async () => {
      const client = connect(`/v3/listen?${NOVA}`);
      await until(() => expect(client.refused?.status).toBe(404));
    });
  });

  describe('on /v1/listen', () => {
    const asked = `/v1/listen?${NOVA}&interim_results=true&endpointing=300&utterance_end_ms=1000&vad_events=true&smart_format=true`;

    it('recognises words as their audio arrives, and the end by the silence after them', async () => {
      const client = await connect(asked).opened();
      client.audio(silentFrames(200));
      client.audio(framesOf(TUESDAY.audio));
      client.audio(silentFrames(1200));
      await until(() => expect(client.of('UtteranceEnd')).toHaveLength(1));
      expect(client.of('SpeechStarted')).toMatchObject([{ channel: [0], timestamp: 0.2 }]);
      expect(transcripts(client)).toEqual([
        'Would',
        'Would Tuesday',
        'Would Tuesday be',
        'Would Tuesday be possible?',
        'Would Tuesday be possible?',
      ]);
      const final = results(client).at(-1)!;
      expect(final).toMatchObject({ is_final: true, speech_final: true, from_finalize: false, start: 0 });
      const { words } = final.channel.alternatives[0]!;
      expect(words[1]).toMatchObject({ word: 'tuesday', start: 0.5, end: 0.74 });
      expect(final.duration).toBeCloseTo(0.2 + 1.14 + 0.3, 1);
      expect(client.of('UtteranceEnd')[0]).toMatchObject({ last_word_end: 1.34 });
    });

    it('sends interims as seldom as configured, so that the last one may lack words', async () => {
      const delays = { speechStartedDelayMs: 0, interimDelayMs: 0, interimEveryMs: 800, finalDelayMs: 0 };
      await start({ delays });
      const client = await connect(asked).opened();
      client.audio([...framesOf(TUESDAY.audio), ...silentFrames(400)]);
      await until(() => expect(results(client).at(-1)?.is_final).toBe(true));
      const [interim, final, ...more] = transcripts(client);
      expect([final, more]).toEqual([TUESDAY.text, []]);
      expect(TUESDAY.text.startsWith(interim ?? '-')).toBe(true);
      expect(interim).not.toBe(final);
    });

    it('sends only finals without punctuation unless interims or punctuation are requested', async () => {
      const client = await connect(`/v1/listen?${NOVA}&endpointing=300`).opened();
      client.audio([...framesOf(TUESDAY.audio), ...silentFrames(400)]);
      await until(() => expect(transcripts(client)).toEqual(['would tuesday be possible']));
      expect(client.of('SpeechStarted')).toEqual([]);
    });

    it('yields nothing for audio that it does not know', async () => {
      const client = await connect(asked).opened();
      client.audio(framesOf(syntheticPhrase('Something else entirely.').audio));
      client.audio(silentFrames(2500));
      await until(() => expect(results(client).length).toBeGreaterThan(0));
      expect(transcripts(client).join('')).toBe('');
      expect(client.of('SpeechStarted')).toEqual([]);
    });

    it('recognises only what was said when a speaker stops in mid-phrase', async () => {
      const client = await connect(asked).opened();
      client.audio(framesOf(TUESDAY.audio).slice(0, 30));
      client.audio(silentFrames(400));
      await until(() => expect(results(client).at(-1)?.speech_final).toBe(true));
      expect(transcripts(client).at(-1)).toBe('Would Tuesday');
    });

    it('finalises what it recognised when asked to', async () => {
      const client = await connect(asked).opened();
      client.audio(framesOf(TUESDAY.audio));
      client.control('Finalize');
      await until(() => expect(results(client).at(-1)?.from_finalize).toBe(true));
      expect(results(client).at(-1)).toMatchObject({ is_final: true, speech_final: false });
      expect(transcripts(client).at(-1)).toBe(TUESDAY.text);
    });

    it('answers CloseStream with what is left, then Metadata, then the close', async () => {
      const client = await connect(asked).opened();
      client.audio(framesOf(THANKS.audio));
      client.control('CloseStream');
      await until(() => expect(client.closed?.code).toBe(1000));
      expect(client.messages.at(-1)).toMatchObject({ type: 'Metadata', channels: 1, duration: 0.84 });
      expect(transcripts(client).at(-1)).toBe(THANKS.text);
    });

    it('closes with 1011 NET-0001 when neither audio nor KeepAlive comes', async () => {
      const clock = new ScriptedClock();
      await start({ clock, idleTimeoutMs: 300 });
      const client = await connect(asked).opened();
      clock.advance(300);
      await until(() => expect(client.closed?.code).toBe(1011));
      expect(client.closed?.reason).toContain('NET-0001');
    });

    it('stays open while KeepAlive comes', async () => {
      const clock = new ScriptedClock();
      await start({ clock, idleTimeoutMs: 300 });
      const client = await connect(asked).opened();
      for (let sent = 1; sent <= 5; sent++) {
        client.control('KeepAlive');
        await until(() => expect(emulator.counters.keepAlives).toBe(sent));
        clock.advance(200);
      }
      client.control('Finalize');
      await until(() => expect(emulator.counters.finalizes).toBe(1));
      expect(client.closed).toBeUndefined();
    });

    it.each([['not JSON'], ['{"type":"Configure"}'], ['{}']])(
      'closes with 1008 on the text %s',
      async (text) => {
        const client = await connect(asked).opened();
        client.text(text);
        await until(() => expect(client.closed?.code).toBe(1008));
        expect(emulator.counters.violations).toBe(1);
      },
    );
  });

  describe('on /v2/listen', () => {
    const asked = `/v2/listen?${FLUX}&eot_threshold=0.7&eager_eot_threshold=0.4`;
    const turns = (client: Client) => client.of('TurnInfo').map((message) => message.event);

    it('follows a turn from its start over the eager end to the end, which repeats the eager text', async () => {
      const client = await connect(asked).opened();
      await until(() => expect(client.of('Connected')).toHaveLength(1));
      client.audio([...framesOf(THANKS.audio), ...silentFrames(600)]);
      await until(() => expect(turns(client)).toContain('EndOfTurn'));
      expect(turns(client)).toEqual(['StartOfTurn', 'Update', 'Update', 'EagerEndOfTurn', 'EndOfTurn']);
      const [eager, end] = client.of('TurnInfo').slice(-2);
      expect(end).toMatchObject({ transcript: THANKS.text, trigger: 'model', turn_index: 0 });
      expect(eager?.transcript).toBe(end?.transcript);
      expect(client.messages.map((message) => message.sequence_id)).toEqual([0, 1, 2, 3, 4, 5]);
    });

    it('takes an eager end back when speech goes on', async () => {
      const client = await connect(asked).opened();
      const frames = framesOf(TUESDAY.audio);
      client.audio([
        ...frames.slice(0, 27),
        ...silentFrames(280),
        ...framesOf(THANKS.audio),
        ...silentFrames(600),
      ]);
      await until(() => expect(turns(client)).toContain('EndOfTurn'));
      const order = turns(client).filter((event) => event !== 'Update');
      expect(order).toEqual(['StartOfTurn', 'EagerEndOfTurn', 'TurnResumed', 'EagerEndOfTurn', 'EndOfTurn']);
      expect(client.of('TurnInfo').at(-1)?.transcript).toBe(`Would Tuesday ${THANKS.text}`);
    });

    it('has no KeepAlive: it is a fatal error', async () => {
      const client = await connect(asked).opened();
      client.control('KeepAlive');
      await until(() => expect(client.closed?.code).toBe(1008));
      expect(client.of('Error')).toHaveLength(1);
    });
  });

  describe('with faults', () => {
    it('refuses handshakes, tears connections and falls mute as its faults say', async () => {
      emulator.faults.refuseNext = 1;
      const refused = connect(`/v1/listen?${NOVA}`);
      await until(() => expect(refused.refused?.status).toBe(503));
      Object.assign(emulator.faults, { dropNext: 1, dropAfterAudioMs: 100 });
      const torn = await connect(`/v1/listen?${NOVA}`).opened();
      torn.audio(silentFrames(200));
      await until(() => expect(torn.closed?.code).toBe(1006));
      emulator.faults.mute = true;
      const mute = await connect(`/v2/listen?${FLUX}`).opened();
      mute.audio([...framesOf(THANKS.audio), ...silentFrames(1000)]);
      await until(() => expect(emulator.counters.audioBytes).toBeGreaterThan(THANKS.audio.length + 8000));
      expect(mute.messages).toEqual([]);
    });

    it('hangs at connect, falls mute for one connection and sends garbage as its faults say', async () => {
      emulator.faults.hangNext = 1;
      const hanging = connect(`/v1/listen?${NOVA}`);
      Object.assign(emulator.faults, { muteNext: 1 });
      const mute = await connect(`/v2/listen?${FLUX}`).opened();
      const said = [...framesOf(THANKS.audio), ...silentFrames(1000)];
      mute.audio(said);
      emulator.faults.garbageNext = 1;
      const heard = await connect(`/v2/listen?${FLUX}`).opened();
      heard.audio(said);
      await until(() => expect(heard.messages.length).toBeGreaterThan(1));
      expect(heard.garbage).toBe(1);
      expect(mute.messages).toEqual([]);
      expect(emulator.counters.connections).toBe(2);
      expect([hanging.refused, hanging.closed]).toEqual([undefined, undefined]);
    });
  });
});
