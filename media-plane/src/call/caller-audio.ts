import type { AudioFormat } from '@voice/shared/audio/format';
import { type Beep, BeepDetector } from '../audio/beep-detector.js';
import type { Conversation } from '../conversation/port.js';
import type { CallObservers } from './call-observers.js';
import { CallerClock } from './caller-clock.js';

export interface CallerAudioOptions {
  readonly format: AudioFormat;
  /** ms since the media stream began. */
  readonly now: () => number;
  readonly conversation: Pick<Conversation, 'hear'>;
  readonly observers: Pick<CallObservers, 'callerAudio'>;
  /** Whether it is still asked who has answered: only then a beep means something. */
  readonly isAnswerOpen: () => boolean;
  readonly onBeep: (beep: Beep) => void;
}

/** Hands each of the caller's frames to all that listen: the recording and followers, the beep's detector, the agent. */
export class CallerAudio {
  readonly #options: CallerAudioOptions;
  readonly #clock = new CallerClock();
  readonly #beeps: BeepDetector;

  constructor(options: CallerAudioOptions) {
    this.#options = options;
    this.#beeps = new BeepDetector(options.format, options.onBeep);
  }

  /** @param frame 20 ms @param positionMs of its beginning, in the line's stream */
  take(frame: Uint8Array, positionMs: number): void {
    const { now, conversation, observers, isAnswerOpen } = this.#options;
    const atMs = this.#clock.place(positionMs, now());
    // What the line heard before the call began here is not recorded.
    if (atMs >= 0) observers.callerAudio(frame, atMs);
    if (isAnswerOpen()) this.#beeps.write(frame);
    conversation.hear(frame, atMs);
  }
}
