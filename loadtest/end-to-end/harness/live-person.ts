import { FRAME_MS } from '@voice/shared/audio/g711';
import type { Conversation } from '../../emulators/telnyx/phone.js';
import { PlayOut } from '../../emulators/telnyx/play-out.js';

/** After a standstill of the machine, so many frames at most are made up for at once. */
const MOST_LATE_FRAMES = 25;

export interface LivePersonOptions {
  readonly conversation: Conversation;
  /** Takes what the person says, 20 ms of mu-law. */
  readonly say: (frame: Uint8Array) => void;
  /** What the person had heard, up to this mark. */
  readonly onMark?: (name: string) => void;
  readonly hangUp: () => void;
}

/** A simulated person at a microphone and a loudspeaker, in real time. */
export class LivePerson {
  /** What the person is about to hear, mu-law. */
  readonly loudspeaker = new PlayOut();
  readonly #options: LivePersonOptions;
  readonly #timer: NodeJS.Timeout;
  #due = performance.now();
  #gone = false;

  constructor(options: LivePersonOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#catchUp(), FRAME_MS / 2);
  }

  /** Idempotent. */
  close(): void {
    if (this.#gone) return;
    this.#gone = true;
    clearInterval(this.#timer);
    this.#options.conversation.close();
  }

  #catchUp(): void {
    const now = performance.now();
    this.#due = Math.max(this.#due, now - MOST_LATE_FRAMES * FRAME_MS);
    for (; this.#due <= now && !this.#gone; this.#due += FRAME_MS) this.#step();
  }

  #step(): void {
    const { conversation, say, onMark, hangUp } = this.#options;
    const { frame: heard, marks } = this.loudspeaker.play();
    for (const name of marks) onMark?.(name);
    const { frame, hangsUp } = conversation.step(heard);
    say(frame);
    if (!hangsUp) return;
    hangUp();
    this.close();
  }
}
