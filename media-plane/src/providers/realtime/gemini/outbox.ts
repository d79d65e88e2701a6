import { FRAME_MS } from '@voice/shared/audio/g711';

/** What is kept of the caller's audio while there is no connection, in ms. */
const KEPT_AUDIO_MS = 20_000;
/** Other messages that are kept meanwhile; a session that is asked for more is long beyond help. */
const KEPT_MESSAGES = 200;

export interface OutboxMessage {
  readonly text: string;
  /** ms of the caller's audio in it. */
  readonly audioMs: number;
}

export function control(message: Record<string, unknown>): OutboxMessage {
  return { text: JSON.stringify(message), audioMs: 0 };
}

/** Builds a message of linear PCM at 16 kHz; `audioMs` is the time on the line that it stands for. */
export function audioMessage(pcm: Uint8Array, audioMs: number = FRAME_MS): OutboxMessage {
  const data = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString('base64');
  // Built by hand: this is done 50 times a second.
  return {
    text: `{"realtimeInput":{"audio":{"data":"${data}","mimeType":"audio/pcm;rate=16000"}}}`,
    audioMs,
  };
}

/** Messages that wait for a connection: all in their order, of the audio only the latest. */
export class Outbox {
  #messages: OutboxMessage[] = [];
  #audioMs = 0;

  push(message: OutboxMessage): void {
    this.#messages.push(message);
    this.#audioMs += message.audioMs;
    while (this.#audioMs > KEPT_AUDIO_MS) this.#dropFirst((kept) => kept.audioMs > 0);
    if (this.#messages.length > KEPT_MESSAGES + KEPT_AUDIO_MS / FRAME_MS) this.#dropFirst(() => true);
  }

  take(): readonly OutboxMessage[] {
    const messages = this.#messages;
    this.#messages = [];
    this.#audioMs = 0;
    return messages;
  }

  #dropFirst(test: (message: OutboxMessage) => boolean): void {
    const index = this.#messages.findIndex(test);
    const [dropped] = this.#messages.splice(index, 1);
    this.#audioMs -= dropped?.audioMs ?? 0;
  }
}
