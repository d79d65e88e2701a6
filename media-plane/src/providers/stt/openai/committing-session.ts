import type { Timer } from '@voice/shared/clock/clock';
import type { SttEvent, SttOptions, SttSession } from '../port.js';
import { SocketSession, type SocketSessionSettings } from '../socket-session/session.js';

/** Quiet in ms after a piece of text, from which an item is ended although our own detector found no end. */
const QUIET_MS = 700;

/**
 * Ends what a streaming model writes down: by our own end of speech (`finalize`), and where that does not come, when no
 * more text does.
 */
export class CommittingSession implements SttSession {
  readonly #options: SttOptions;
  readonly #inner: SocketSession;
  #quiet: Timer | undefined;

  constructor(options: SttOptions, settings: SocketSessionSettings) {
    this.#options = options;
    this.#inner = new SocketSession({ ...options, onEvent: (event) => this.#took(event) }, settings);
  }

  get audioMs(): number {
    return this.#inner.audioMs;
  }

  write(frame: Uint8Array): void {
    this.#inner.write(frame);
  }

  voiceActivity(speaking: boolean): void {
    this.#inner.voiceActivity(speaking);
  }

  finalize(): void {
    this.#quiet?.cancel();
    this.#inner.finalize();
  }

  close(): void {
    this.#quiet?.cancel();
    this.#inner.close();
  }

  #took(event: SttEvent): void {
    if (event.type === 'transcript' || event.type === 'failed') this.#quiet?.cancel();
    if (event.type === 'transcript' && !event.final) {
      this.#quiet = this.#options.clock.schedule(QUIET_MS, () => this.#inner.finalize());
    }
    this.#options.onEvent(event);
  }
}
