import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import { AudioRing } from '../../stt/audio-ring.js';
import type { EndOfTurnDetector, EndOfTurnSession } from '../port.js';
import type { SpeechToJudge } from './messages.js';
import { SmartTurnClient, type SmartTurnClientOptions } from './smart-turn-client.js';

/** What the model looks at, in ms. */
const WINDOW_MS = 8000;
/** Audio before the detected beginning that still belongs to the speech, in ms. */
const LEAD_MS = 300;
/** After a longer silence another turn begins, in ms: the model wants one turn, and not the one before. */
const SAME_TURN_MS = 3000;

/** Judges with Smart Turn, on one thread for the process; the thread starts with the first call that needs it. */
export class SmartTurn implements EndOfTurnDetector {
  readonly #client: SmartTurnClient<EndOfTurnSession>;

  constructor(options: SmartTurnClientOptions) {
    this.#client = new SmartTurnClient(options);
  }

  open(format: AudioFormat): EndOfTurnSession {
    this.#client.warm();
    return new SmartTurnSession(format, this.#client);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

class SmartTurnSession implements EndOfTurnSession {
  readonly #format: AudioFormat;
  readonly #client: SmartTurnClient<EndOfTurnSession>;
  readonly #ring: AudioRing;
  /** Where the turn began. */
  #fromMs = 0;
  #stoppedMs = -Infinity;
  #closed = false;

  constructor(format: AudioFormat, client: SmartTurnClient<EndOfTurnSession>) {
    this.#format = format;
    this.#client = client;
    this.#ring = new AudioRing(WINDOW_MS, format);
  }

  write(frame: Uint8Array): void {
    if (!this.#closed) this.#ring.push(frame);
  }

  speechStarted(atMs: number): void {
    this.#client.withdraw(this);
    if (atMs - this.#stoppedMs > SAME_TURN_MS) this.#fromMs = atMs - LEAD_MS;
  }

  judge(onJudged: (probability: number) => void): void {
    if (this.#closed) return;
    this.#stoppedMs = this.#ring.endMs;
    this.#client.ask(this, this.#turn(), onJudged);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#client.withdraw(this);
    this.#ring.clear();
  }

  /** Copies what is kept of the turn. */
  #turn(): SpeechToJudge {
    const { startMs, endMs } = this.#ring;
    const perMs = bytesPerMs(this.#format);
    const kept = new Uint8Array(Math.round((endMs - startMs) * perMs));
    let length = 0;
    for (const frame of this.#ring.frames()) {
      kept.set(frame, length);
      length += frame.length;
    }
    // Whole samples of whole milliseconds, whatever the position is.
    const skipMs = Math.ceil(Math.max(0, this.#fromMs - startMs));
    return { format: this.#format, audio: kept.slice(Math.min(length, skipMs * perMs), length) };
  }
}
