import { LIVE_CLOSE } from '@voice/shared/contracts/live-streams';
import { apiErrorOf } from '../../api/errors.js';

/** Bytes of a sample. */
const SAMPLE = 2;
/** Sound that is ahead of being played at the beginning, and after a gap, in s. */
const CUSHION_S = 0.12;

/** Turns 16-bit little-endian samples into those of the Web Audio API. */
export function floatsOf(bytes: ArrayBuffer): Float32Array<ArrayBuffer> {
  const view = new DataView(bytes);
  return Float32Array.from(
    { length: Math.floor(bytes.byteLength / SAMPLE) },
    (_, at) => view.getInt16(at * SAMPLE, true) / 32_768,
  );
}

const LOST = 'The connection is lost. Listen again.';

/** Why the sound of a call ended, by the code that its WebSocket was closed with; null where the call did. Pure. */
export function endWords(code: number): string | null {
  if (code === LIVE_CLOSE.ended) return null;
  if (code === LIVE_CLOSE.goingAway) return 'The service goes on elsewhere. Listen again.';
  if (code === LIVE_CLOSE.tooSlow) return 'The connection is too slow for the sound. Listen again.';
  if (code === LIVE_CLOSE.signedOut) return 'You are signed out, or may not listen any more.';
  return LOST;
}

/** Plays a call while it goes on: pieces of sound in a row, each where the one before ends. */
export class Listener {
  readonly #path: string;
  readonly #socket: WebSocket;
  readonly #audio = new AudioContext();
  #sampleRate = 8000;
  #playedUntil = 0;
  #hasOpened = false;
  #isLeft = false;

  /** `onEnd`: the sound has ended by itself, and why; null where the call did. */
  constructor(path: string, onEnd: (why: string | null) => void) {
    this.#path = path;
    this.#socket = new WebSocket(location.origin.replace(/^http/, 'ws') + path);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('open', () => {
      this.#hasOpened = true;
    });
    this.#socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data === 'string')
        this.#sampleRate = Number(JSON.parse(data).sample_rate) || this.#sampleRate;
      else this.#play(floatsOf(data));
    });
    this.#socket.addEventListener('close', ({ code }) => {
      if (this.#isLeft) return;
      // What has come is still heard.
      const rest = Math.max(0, this.#playedUntil - this.#audio.currentTime);
      setTimeout(() => this.#silence(), rest * 1000);
      if (this.#hasOpened) onEnd(endWords(code));
      else void this.#refusal().then((why) => this.#isLeft || onEnd(why));
    });
  }

  close(): void {
    this.#isLeft = true;
    this.#socket.close();
    this.#silence();
  }

  #silence(): void {
    if (this.#audio.state !== 'closed') void this.#audio.close();
  }

  /** Browsers do not say why a WebSocket is refused: the same address says it to a plain request. */
  async #refusal(): Promise<string> {
    try {
      const response = await fetch(this.#path);
      const body: unknown = await response.json().catch(() => undefined);
      // It would be taken now.
      if (response.status === 426) return LOST;
      return apiErrorOf(response.status, body, (name) => response.headers.get(name)).message;
    } catch {
      return 'The service cannot be reached.';
    }
  }

  #play(samples: Float32Array<ArrayBuffer>): void {
    if (samples.length === 0 || this.#audio.state === 'closed') return;
    const buffer = this.#audio.createBuffer(1, samples.length, this.#sampleRate);
    buffer.copyToChannel(samples, 0);
    const source = this.#audio.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#audio.destination);
    const now = this.#audio.currentTime;
    if (this.#playedUntil < now) this.#playedUntil = now + CUSHION_S;
    source.start(this.#playedUntil);
    this.#playedUntil += buffer.duration;
  }
}
