import { type AudioFormat, frameBytes, silenceByte } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CountingClock } from '../../testing/counting-clock.js';
import { moment } from '../../testing/moment.js';
import type { SpeechToText, SttEvent, SttOptions, SttSession, SttSign } from '../port.js';

/** A provider with something to hear, and the power to make things go wrong. */
export interface SpeechToTextHarness {
  readonly stt: SpeechToText;
  /** All but clock, log and listener. */
  readonly options: Pick<
    SttOptions,
    'choice' | 'credentials' | 'format' | 'language' | 'endpointingMs' | 'captionsUrl'
  >;
  /** What the provider refuses to serve; undefined where no key is needed. */
  readonly badCredentials: ProviderCredentials | undefined;
  /** Things that somebody says, each with its audio in 20 ms frames of the options' format. */
  readonly phrases: readonly { readonly text: string; readonly frames: readonly Uint8Array[] }[];
  /** Connections that the provider holds now. */
  openConnections(): number;
  /** Tears the provider's connections. */
  disconnect(): void;
  /** Refuses all connections from now on. */
  refuse(): void;
  close(): Promise<void>;
  /** The clock of the provider's waits; by default the machine's. */
  readonly clock?: Clock;
}

export interface SpeechToTextCapabilities {
  /** Whether `finalize` brings the final at once; a provider with its own model of turns decides alone. */
  readonly finalizes: boolean;
  /** Whether it is reached over a network, and says how its connection does. */
  readonly isRemote?: boolean;
}

class Listener {
  readonly #silentFrame: Uint8Array;

  constructor(
    readonly session: SttSession,
    readonly events: SttEvent[],
    readonly signs: readonly SttSign[],
    format: AudioFormat,
  ) {
    this.#silentFrame = new Uint8Array(frameBytes(format)).fill(silenceByte(format));
  }

  say(frames: readonly Uint8Array[]): void {
    for (const frame of frames) this.session.write(frame);
  }

  silence(ms: number): void {
    for (let left = ms; left > 0; left -= 20) this.session.write(this.#silentFrame);
  }

  transcripts(final: boolean): Extract<SttEvent, { type: 'transcript' }>[] {
    return this.events
      .filter((event) => event.type === 'transcript')
      .filter((event) => event.final === final);
  }

  get finalText(): string {
    return this.transcripts(true)
      .map((event) => event.text)
      .join(' ');
  }

  failures(): Extract<SttEvent, { type: 'failed' }>[] {
    return this.events.filter((event) => event.type === 'failed');
  }
}

/** What is not yet final may be written without capitals and punctuation. */
const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N} ]/gu, '');

const eventually = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

/** Tests what the pipeline relies on from every speech-to-text provider. */
export function describeSpeechToTextContract(
  name: string,
  makeHarness: () => Promise<SpeechToTextHarness>,
  { finalizes, isRemote = false }: SpeechToTextCapabilities,
): void {
  describe(`speech to text: ${name}`, () => {
    let harness: SpeechToTextHarness;
    let clock: CountingClock;
    let open: (credentials?: ProviderCredentials) => Listener;

    beforeEach(async () => {
      harness = await makeHarness();
      clock = new CountingClock(harness.clock);
      open = (credentials = harness.options.credentials) => {
        const events: SttEvent[] = [];
        const signs: SttSign[] = [];
        const session = harness.stt.open({
          ...harness.options,
          credentials,
          clock,
          log: silentLog,
          onEvent: (event) => events.push(event),
          onSign: (sign) => signs.push(sign),
        });
        return new Listener(session, events, signs, harness.options.format);
      };
    });

    afterEach(() => harness.close());

    it('reports interims first, then finals that add up to the phrase', async () => {
      const phrase = harness.phrases[0]!;
      const listener = open();
      listener.say(phrase.frames);
      listener.silence(1000);
      await eventually(() => expect(listener.finalText).toBe(phrase.text));
      const interims = listener.transcripts(false);
      expect(interims.length).toBeGreaterThan(0);
      expect(plain(phrase.text).startsWith(plain(interims[0]!.text))).toBe(true);
      expect(listener.session.audioMs).toBeGreaterThanOrEqual(phrase.frames.length * 20);
      listener.session.close();
    });

    it.runIf(isRemote)(
      'is connected when it is opened, before anybody speaks, and then hears at once',
      async () => {
        const unheard = open();
        await eventually(() => expect(harness.openConnections()).toBe(1));
        unheard.session.close();
        await eventually(() => expect(harness.openConnections()).toBe(0));
        expect(unheard.session.audioMs).toBe(0);
        expect(unheard.events).toEqual([]);
        const phrase = harness.phrases[0]!;
        const listener = open();
        await eventually(() => expect(listener.signs).toContain('connected'));
        listener.say(phrase.frames);
        listener.silence(1000);
        await eventually(() => expect(listener.finalText).toBe(phrase.text));
        expect(harness.openConnections()).toBe(1);
        listener.session.close();
      },
    );

    it('places words on the clock of the audio that was written', async () => {
      const phrase = harness.phrases[0]!;
      const listener = open();
      listener.silence(600);
      listener.say(phrase.frames);
      listener.silence(1000);
      await eventually(() => expect(listener.finalText).toBe(phrase.text));
      for (const { startMs, endMs, confidence } of listener.transcripts(true)) {
        expect(startMs).toBeGreaterThanOrEqual(590);
        expect(endMs).toBeGreaterThan(startMs);
        expect(endMs).toBeLessThanOrEqual(620 + phrase.frames.length * 20);
        expect(confidence).toBeGreaterThan(0);
        expect(confidence).toBeLessThanOrEqual(1);
      }
      listener.session.close();
    });

    it('says nothing of silence', async () => {
      const listener = open();
      listener.silence(8000);
      await eventually(() => expect(listener.session.audioMs).toBe(8000));
      await moment(150);
      expect(listener.events).toEqual([]);
      listener.session.close();
    });

    it('keeps one phrase apart from the next', async () => {
      const listener = open();
      for (const phrase of harness.phrases.slice(0, 2)) {
        listener.say(phrase.frames);
        listener.silence(1500);
      }
      const expected = `${harness.phrases[0]!.text} ${harness.phrases[1]!.text}`;
      await eventually(() => expect(listener.finalText).toBe(expected));
      listener.session.close();
    });

    it.runIf(finalizes)('gives the final at once when our own detector heard the end first', async () => {
      const phrase = harness.phrases[0]!;
      const listener = open();
      listener.say(phrase.frames);
      await eventually(() => expect(listener.transcripts(false).length).toBeGreaterThan(0));
      listener.session.finalize();
      await eventually(() => expect(listener.finalText).toBe(phrase.text));
      listener.session.close();
    });

    it.runIf(isRemote)('says when it is connected, heard of and torn off', async () => {
      const listener = open();
      expect(listener.signs).toEqual([]);
      listener.say(harness.phrases[0]!.frames);
      await eventually(() => expect(listener.signs).toContain('alive'));
      expect(listener.signs[0]).toBe('connected');
      expect(listener.signs).not.toContain('disconnected');
      harness.disconnect();
      await eventually(() => expect(listener.signs).toContain('disconnected'));
      const torn = listener.signs.indexOf('disconnected');
      await eventually(() => expect(listener.signs.slice(torn)).toContain('connected'));
      listener.session.close();
    });

    it('loses and doubles no word when its connection is torn in the middle of a phrase', async () => {
      const phrase = harness.phrases[0]!;
      const half = Math.floor(phrase.frames.length / 2);
      const listener = open();
      listener.say(phrase.frames.slice(0, half));
      await eventually(() => expect(listener.transcripts(false).length).toBeGreaterThan(0));
      harness.disconnect();
      listener.say(phrase.frames.slice(half));
      listener.silence(1000);
      await eventually(() => expect(listener.finalText).toBe(phrase.text));
      expect(listener.failures()).toEqual([]);
      const { endMs } = listener.transcripts(true).at(-1)!;
      expect(endMs).toBeLessThanOrEqual(phrase.frames.length * 20);
      listener.session.close();
    });

    it('repeats nothing that is final when its connection is torn between two phrases', async () => {
      const [first, second] = harness.phrases;
      const listener = open();
      listener.say(first!.frames);
      listener.silence(1000);
      await eventually(() => expect(listener.finalText).toBe(first!.text));
      harness.disconnect();
      listener.say(second!.frames);
      listener.silence(1000);
      const expected = `${first!.text} ${second!.text}`;
      await eventually(() => expect(listener.finalText).toBe(expected));
      await moment(100);
      expect(listener.finalText).toBe(expected);
      listener.session.close();
    });

    it('fails once, and retryably, when its provider stays away', async () => {
      const listener = open();
      await eventually(() => expect(harness.openConnections()).toBe(1));
      harness.refuse();
      harness.disconnect();
      await eventually(() => expect(listener.failures()).toHaveLength(1));
      const { error } = listener.failures()[0]!;
      expect(error).toMatchObject({ name: 'ProviderError', kind: 'stt', retryable: true });
      listener.silence(200);
      listener.session.finalize();
      await moment(50);
      expect(listener.events.at(-1)?.type).toBe('failed');
      listener.session.close();
      expect(clock.pending).toBe(0);
    });

    it('fails once, and for good, with a key that the provider refuses', async ({ skip }) => {
      if (harness.badCredentials === undefined) return skip('a local provider: it wants no key');
      for (const credentials of [harness.badCredentials, { ...harness.badCredentials, api_key: undefined }]) {
        const listener = open(credentials);
        expect(listener.events).toEqual([]);
        await eventually(() => expect(listener.failures()).toHaveLength(1));
        expect(listener.failures()[0]!.error).toMatchObject({ code: 'stt_unauthorized', retryable: false });
        listener.session.close();
      }
    });

    it('reports nothing after a close, a second close or a close while connecting', async () => {
      const phrase = harness.phrases[0]!;
      const early = open();
      early.say(phrase.frames);
      early.session.close();
      const late = open();
      late.say(phrase.frames);
      await eventually(() => expect(late.events.length).toBeGreaterThan(0));
      late.session.close();
      late.session.close();
      const before = late.events.length;
      late.say(phrase.frames);
      await moment(200);
      expect(early.events).toEqual([]);
      expect(late.events).toHaveLength(before);
    });

    it('serves many calls at once, each with its own words, and leaves nothing behind', async () => {
      const listeners = Array.from({ length: 20 }, () => open());
      for (const [index, listener] of listeners.entries()) {
        listener.say(harness.phrases[index % harness.phrases.length]!.frames);
        listener.silence(1000);
      }
      await eventually(() => {
        for (const [index, listener] of listeners.entries()) {
          expect(listener.finalText).toBe(harness.phrases[index % harness.phrases.length]!.text);
        }
      });
      for (const listener of listeners) listener.session.close();
      await eventually(() => expect(harness.openConnections()).toBe(0));
      expect(clock.pending).toBe(0);
    });
  });
}
