import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import { decodeSamples, sampleBytes } from '@voice/shared/audio/samples';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { levelDb } from '../../../audio/level.js';
import { CountingClock } from '../../testing/counting-clock.js';
import type { TextToSpeech, Voice } from '../port.js';
import { collect, shareAbove, speak } from './contract-speech.js';

/** A voice, and the power to make things go wrong. */
export interface TextToSpeechHarness {
  readonly tts: TextToSpeech;
  readonly choice: ProviderChoice;
  readonly credentials: ProviderCredentials;
  readonly format: AudioFormat;
  /** Connections that the provider holds now; 0 where there are none. */
  openConnections(): number;
  /** Handshakes that the provider has taken. Absent where it does not keep a connection for a call. */
  handshakes?(): number;
  /** Absent where there is no server that could fail. */
  readonly faults?: {
    readonly badCredentials: ProviderCredentials;
    /** Tears the next turn's connection after some audio. */
    dropNext(): void;
    /** Sends an error in the next turn after some audio. */
    errorNext(): void;
    /** Leaves the next turn without speech. */
    stallNext(): void;
    /** Tears all connections now. */
    disconnect(): void;
    /** Refuses all connections from now on. */
    refuse(): void;
  };
  close(): Promise<void>;
}

const FIRST = 'Good morning, this is the dental practice.';
const SECOND = 'How may I help you today?';

const eventually = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

/** Tests what the pipeline relies on from every voice. */
export function describeTextToSpeechContract(
  name: string,
  makeHarness: () => Promise<TextToSpeechHarness>,
): void {
  describe(`text to speech: ${name}`, () => {
    let harness: TextToSpeechHarness;
    let clock: CountingClock;
    let open: (credentials?: ProviderCredentials) => Voice;

    beforeEach(async () => {
      harness = await makeHarness();
      clock = new CountingClock();
      open = (credentials = harness.credentials) =>
        harness.tts.open({
          choice: harness.choice,
          credentials,
          format: harness.format,
          language: 'en-US',
          clock,
          log: silentLog,
        });
    });

    afterEach(() => harness.close());

    it('speaks all sentences in order and aligns each character with the audio', async () => {
      const voice = open();
      const spoken = await speak(voice, [FIRST, SECOND]);
      expect(spoken.error).toBeUndefined();
      const lengthMs = spoken.audio.length / bytesPerMs(harness.format);
      expect(lengthMs).toBeGreaterThan(1500);
      expect(lengthMs).toBeLessThan(15_000);
      expect(voice.characters).toBe(FIRST.length + SECOND.length);
      if (spoken.chars.length > 0) {
        expect(spoken.chars.join('').replace(/\s+/g, ' ').trim()).toBe(`${FIRST} ${SECOND}`);
        expect(spoken.startMs).toEqual([...spoken.startMs].sort((a, b) => a - b));
        expect(spoken.endMs.at(-1)).toBeLessThanOrEqual(lengthMs + 20);
        const second = spoken.chars.join('').indexOf(SECOND);
        expect(spoken.startMs[second]! / lengthMs).toBeGreaterThan(0.3);
      }
      voice.close();
    });

    it('speaks in the format that was asked for', async () => {
      const voice = open();
      const { audio } = await speak(voice, [FIRST]);
      const { encoding, sampleRate } = harness.format;
      expect(audio.length % sampleBytes(encoding)).toBe(0);
      const samples = decodeSamples(encoding, audio, new Int16Array(audio.length));
      // Speech is neither silent nor the noise that bytes of another encoding make.
      expect(levelDb(samples)).toBeGreaterThan(-40);
      expect(shareAbove(3400, samples, sampleRate)).toBeLessThan(0.2);
      voice.close();
    });

    it('gives audio of the first sentence before it is given the second', async () => {
      const voice = open();
      let audible: () => void = () => {};
      const heard = new Promise<void>((resolve) => {
        audible = resolve;
      });
      async function* slowly() {
        yield FIRST;
        await heard;
        yield SECOND;
      }
      let bytes = 0;
      for await (const chunk of voice.speak(slowly(), new AbortController().signal)) {
        bytes += chunk.audio.length;
        if (bytes > 0) audible();
      }
      expect(bytes).toBeGreaterThan(0);
      voice.close();
    });

    it('makes no sound of nothing', async () => {
      const voice = open();
      for (const sentences of [[], ['', '  ']]) {
        const spoken = await speak(voice, sentences);
        expect(spoken).toMatchObject({ error: undefined, chars: [] });
        expect(spoken.audio).toHaveLength(0);
      }
      expect(voice.characters).toBe(0);
      voice.close();
    });

    it('speaks turn after turn', async () => {
      const voice = open();
      const lengths = [];
      for (let turn = 0; turn < 4; turn++) lengths.push((await speak(voice, [SECOND])).audio.length);
      expect(new Set(lengths).size).toBe(1);
      voice.close();
    });

    it('ends promptly on abort, and nothing of that turn is heard in the next', async () => {
      const voice = open();
      const alone = await speak(voice, [SECOND]);
      const turn = new AbortController();
      const cut = speak(voice, [FIRST, FIRST, FIRST], turn.signal, () => turn.abort());
      const next = speak(voice, [SECOND]);
      expect((await cut).error ?? turn.signal.reason).toBe(turn.signal.reason);
      expect((await next).audio.equals(alone.audio)).toBe(true);
      voice.close();
    });

    it('is connected when it is opened, and speaks over that connection, interrupted or not', async ({
      skip,
    }) => {
      const { handshakes, openConnections } = harness;
      if (!handshakes) return skip('it does not keep a connection for a call');
      const unheard = open();
      await eventually(() => expect(openConnections()).toBe(1));
      unheard.close();
      expect(unheard.characters).toBe(0);
      await eventually(() => expect(openConnections()).toBe(0));
      const voice = open();
      await eventually(() => expect(handshakes()).toBe(2));
      for (let turn = 0; turn < 8; turn++) {
        const interruption = new AbortController();
        await speak(voice, [FIRST, FIRST], interruption.signal, () => interruption.abort());
        expect((await speak(voice, [SECOND])).audio.length).toBeGreaterThan(0);
      }
      expect(handshakes()).toBe(2);
      voice.close();
    });

    it('says nothing for a turn that was aborted before', async () => {
      const voice = open();
      const spoken = await speak(voice, [FIRST], AbortSignal.abort());
      expect(spoken.audio).toHaveLength(0);
      expect(voice.characters).toBe(0);
      voice.close();
    });

    it('can be aborted while it waits for the next sentence', async () => {
      const voice = open();
      const turn = new AbortController();
      async function* endless() {
        yield FIRST;
        await new Promise<never>((_resolve, reject) => {
          turn.signal.addEventListener('abort', () => reject(turn.signal.reason), { once: true });
        });
      }
      await collect(voice, endless(), turn.signal, () => setTimeout(() => turn.abort(), 20));
      expect(turn.signal.aborted).toBe(true);
      voice.close();
    });

    it('fails with the error of the sentences', async () => {
      const voice = open();
      const broken = new Error('the model broke off');
      // biome-ignore lint/correctness/useYield: it fails before it has anything to give
      async function* failing(): AsyncGenerator<string> {
        throw broken;
      }
      expect((await collect(voice, failing(), new AbortController().signal)).error).toBe(broken);
      voice.close();
    });

    it('fails for good with a key that the provider refuses', async ({ skip }) => {
      if (!harness.faults) return skip('a local provider: there is no server behind it that could fail');
      const { badCredentials } = harness.faults;
      for (const credentials of [badCredentials, { ...badCredentials, api_key: undefined }]) {
        const voice = open(credentials);
        expect((await speak(voice, [FIRST])).error).toMatchObject({
          name: 'ProviderError',
          code: 'tts_unauthorized',
          retryable: false,
        });
        voice.close();
      }
    });

    it('fails retryably when its connection is torn or the provider breaks in mid-turn', async ({ skip }) => {
      if (!harness.faults) return skip('a local provider: there is no server behind it that could fail');
      const voice = open();
      harness.faults.dropNext();
      const torn = await speak(voice, [FIRST, SECOND]);
      expect(torn.error).toMatchObject({ code: 'tts_disconnected', retryable: true });
      expect(torn.audio.length).toBeGreaterThan(0);
      harness.faults.errorNext();
      const broken = await speak(voice, [FIRST, SECOND]);
      expect(broken.error).toMatchObject({ code: 'tts_unavailable', retryable: true });
      expect((await speak(voice, [FIRST])).error).toBeUndefined();
      voice.close();
    });

    it('speaks although its connection died while it was silent', async ({ skip }) => {
      if (!harness.faults) return skip('a local provider: there is no server behind it that could fail');
      const voice = open();
      const alone = await speak(voice, [SECOND]);
      harness.faults.disconnect();
      const spoken = await speak(voice, [SECOND]);
      expect(spoken.error).toBeUndefined();
      expect(spoken.audio.equals(alone.audio)).toBe(true);
      voice.close();
    });

    it('fails retryably when the provider cannot be reached', async ({ skip }) => {
      if (!harness.faults) return skip('a local provider: there is no server behind it that could fail');
      harness.faults.refuse();
      const voice = open();
      const { error } = await speak(voice, [FIRST]);
      expect(error).toMatchObject({ name: 'ProviderError', kind: 'tts', retryable: true });
      voice.close();
    });

    it('can be aborted while the provider does not speak', async ({ skip }) => {
      if (!harness.faults) return skip('a local provider: there is no server behind it that could fail');
      const voice = open();
      harness.faults.stallNext();
      const turn = new AbortController();
      const speaking = speak(voice, [FIRST], turn.signal);
      await eventually(() => expect(voice.characters).toBe(FIRST.length));
      turn.abort();
      expect((await speaking).audio).toHaveLength(0);
      voice.close();
    });

    it('serves many calls at once and leaves nothing behind', async () => {
      const voices = Array.from({ length: 20 }, () => open());
      const spoken = await Promise.all(voices.map((voice) => speak(voice, [FIRST, SECOND])));
      expect(new Set(spoken.map(({ audio }) => audio.toString('base64'))).size).toBe(1);
      for (const voice of voices) {
        voice.close();
        voice.close();
      }
      await eventually(() => expect(harness.openConnections()).toBe(0));
      expect(clock.pending).toBe(0);
    });

    it('ends what it is saying when the call is over', async () => {
      const voice = open();
      const spoken = await speak(voice, [FIRST, FIRST, FIRST], undefined, () => voice.close());
      expect(spoken.audio.length).toBeGreaterThan(0);
      await eventually(() => expect(harness.openConnections()).toBe(0));
      expect(clock.pending).toBe(0);
    });
  });
}
