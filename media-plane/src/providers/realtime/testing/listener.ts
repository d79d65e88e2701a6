import { type AudioFormat, bytesPerMs, frameBytes, silenceByte } from '@voice/shared/audio/format';
import { expect, vi } from 'vitest';
import { NO_REALTIME_USAGE, type RealtimeEvent, type RealtimeSession } from '../port.js';

type EventOf<T extends RealtimeEvent['type']> = Extract<RealtimeEvent, { type: T }>;

/** Waits for what a real socket brings; fails after a time that only a broken provider needs. */
export const eventually = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

/** Records one session and all that it reported. */
export class RealtimeListener {
  readonly session: RealtimeSession;
  readonly events: RealtimeEvent[];
  readonly #format: AudioFormat;

  constructor(session: RealtimeSession, events: RealtimeEvent[], format: AudioFormat) {
    this.session = session;
    this.events = events;
    this.#format = format;
  }

  of<T extends RealtimeEvent['type']>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }

  async ready(): Promise<this> {
    await eventually(() => expect(this.of('ready')).toHaveLength(1));
    return this;
  }

  /** Speaks as a line does, with the marks of the local detector around the speech. */
  say(frames: readonly Uint8Array[]): void {
    this.session.voiceActivity(true);
    for (const frame of frames) this.session.write(frame);
    this.session.voiceActivity(false);
  }

  silence(ms: number): void {
    const frame = new Uint8Array(frameBytes(this.#format)).fill(silenceByte(this.#format));
    for (let left = ms; left > 0; left -= 20) this.session.write(frame);
  }

  /** Speaks a whole turn of the caller with our own turn detection; returns the number of the response to it. */
  ask(frames: readonly Uint8Array[]): number {
    this.say(frames);
    this.silence(200);
    this.session.commit();
    return this.session.respond();
  }

  text(response: number): string {
    return this.of('text')
      .filter((event) => event.response === response)
      .map((event) => event.delta)
      .join('');
  }

  audio(response: number): Buffer {
    return Buffer.concat(
      this.of('audio')
        .filter((event) => event.response === response)
        .map((event) => event.audio),
    );
  }

  /** Returns how much audio of a response came so far, in ms. */
  audioMs(response: number): number {
    return this.audio(response).length / bytesPerMs(this.#format);
  }

  finished(response: number): EventOf<'response_finished'> | undefined {
    const all = this.of('response_finished').filter((event) => event.response === response);
    expect(all.length).toBeLessThanOrEqual(1);
    return all[0];
  }

  async completed(response: number): Promise<void> {
    await eventually(() => expect(this.finished(response)?.outcome).toBe('completed'));
  }

  /** Returns the caller's turns as they were understood, in the order in which they were spoken. */
  heard(): string[] {
    const items = new Map<string, string>();
    for (const event of this.of('caller_transcript')) if (event.final) items.set(event.item, event.text);
    return [...items.values()];
  }

  /** Returns the sum of all reported usage. */
  usage() {
    return this.of('usage').reduce(
      (sum, { usage }) => ({
        inputAudioTokens: sum.inputAudioTokens + usage.inputAudioTokens,
        inputTextTokens: sum.inputTextTokens + usage.inputTextTokens,
        cachedAudioTokens: sum.cachedAudioTokens + usage.cachedAudioTokens,
        cachedTextTokens: sum.cachedTextTokens + usage.cachedTextTokens,
        outputAudioTokens: sum.outputAudioTokens + usage.outputAudioTokens,
        outputTextTokens: sum.outputTextTokens + usage.outputTextTokens,
      }),
      NO_REALTIME_USAGE,
    );
  }
}

/** Normalises text as two models that say the same may write it: one space between words, none around them. */
export const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
