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

/** Plays a call while it goes on: pieces of sound in a row, each where the one before ends. */
export class Listener {
  readonly #socket: WebSocket;
  readonly #audio = new AudioContext();
  #sampleRate = 8000;
  #playedUntil = 0;

  constructor(url: string, onEnd: () => void) {
    this.#socket = new WebSocket(url);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data === 'string')
        this.#sampleRate = Number(JSON.parse(data).sample_rate) || this.#sampleRate;
      else this.#play(floatsOf(data));
    });
    this.#socket.addEventListener('close', onEnd);
  }

  close(): void {
    this.#socket.close();
    if (this.#audio.state !== 'closed') void this.#audio.close();
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
