import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import { AudioRing } from '../stt/audio-ring.js';
import type { SpeechToText, SttEvent, SttOptions, SttSession } from '../stt/port.js';
import type { OnNotice } from './notice.js';

/** Audio kept for the recogniser that takes over, in ms. */
const RING_MS = 10_000;

export interface SpeechToTextFallback {
  readonly stt: SpeechToText;
  readonly choice: ProviderChoice;
  readonly credentials: ProviderCredentials;
}

/** Hands over to another recogniser for the rest of the call, from the audio that has no final text yet. */
export function withSpeechToTextFallback(
  stt: SpeechToText,
  fallback: SpeechToTextFallback,
  onNotice: OnNotice,
): SpeechToText {
  return {
    name: stt.name,
    open: (options) => new FallbackSession({ primary: stt, fallback, session: options, onNotice }),
  };
}

interface FallbackSessionOptions {
  readonly primary: SpeechToText;
  readonly fallback: SpeechToTextFallback;
  /** Of the session at the primary. */
  readonly session: SttOptions;
  readonly onNotice: OnNotice;
}

class FallbackSession implements SttSession {
  readonly #options: FallbackSessionOptions;
  readonly #ring: AudioRing;
  #session: SttSession;
  /** Position of the call's audio at which the present session's audio began, in ms. */
  #baseMs = 0;
  #spentMs = 0;
  #replaced = false;
  #finalizePending = false;
  #closed = false;

  constructor(options: FallbackSessionOptions) {
    this.#options = options;
    const { primary, session } = options;
    this.#ring = new AudioRing(RING_MS, session.format);
    this.#session = primary.open({ ...session, onEvent: (event) => this.#fromPrimary(event) });
  }

  get audioMs(): number {
    return this.#spentMs + this.#session.audioMs;
  }

  write(frame: Uint8Array): void {
    if (this.#closed) return;
    if (!this.#replaced) this.#ring.push(frame);
    this.#session.write(frame);
  }

  voiceActivity(speaking: boolean, atMs: number): void {
    this.#session.voiceActivity(speaking, Math.max(0, atMs - this.#baseMs));
  }

  finalize(): void {
    this.#finalizePending = true;
    this.#session.finalize();
  }

  close(): void {
    this.#closed = true;
    this.#ring.clear();
    this.#session.close();
  }

  #fromPrimary(event: SttEvent): void {
    if (this.#closed || this.#replaced) return;
    if (event.type === 'failed') {
      this.#replace(event.error.code);
      return;
    }
    if (event.type === 'transcript' && event.final) {
      this.#finalizePending = false;
      this.#ring.trim(event.endMs);
    }
    this.#options.session.onEvent(event);
  }

  #replace(cause: string): void {
    const { primary, fallback, session, onNotice } = this.#options;
    const { stt, choice, credentials } = fallback;
    onNotice({
      code: 'provider_replaced',
      kind: 'stt',
      provider: primary.name,
      replacement: stt.name,
      cause,
    });
    this.#replaced = true;
    this.#spentMs = this.#session.audioMs;
    this.#session.close();
    this.#baseMs = this.#ring.startMs;
    this.#session = stt.open({
      ...session,
      choice,
      credentials,
      onEvent: (event) => this.#fromFallback(event),
    });
    for (const frame of this.#ring.frames()) this.#session.write(frame);
    this.#ring.clear();
    if (this.#finalizePending) this.#session.finalize();
  }

  #fromFallback(event: SttEvent): void {
    if (this.#closed) return;
    this.#options.session.onEvent(this.#moved(event));
  }

  #moved(event: SttEvent): SttEvent {
    switch (event.type) {
      case 'transcript':
        return { ...event, startMs: event.startMs + this.#baseMs, endMs: event.endMs + this.#baseMs };
      case 'speech_started':
        return { ...event, atMs: event.atMs + this.#baseMs };
      case 'end_of_turn':
      case 'eager_end_of_turn':
      case 'turn_resumed':
      case 'failed':
        return event;
    }
  }
}
