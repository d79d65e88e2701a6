import type { Worker } from 'node:worker_threads';
import { ServiceError } from '@voice/shared/errors/service-error';
import { startThread } from '../threads/start-thread.js';
import type { EncodedRecording } from './encode-recording.js';
import type { FromEncoder, ToEncoder } from './messages.js';

interface Waiting {
  onProgress(encodedMs: number): void;
  resolve(recording: EncodedRecording): void;
  reject(error: ServiceError): void;
}

/** Controls the encoder's thread from the process. It starts with the first recording and keeps nothing alive. */
export class EncoderClient {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  /**
   * Makes the MP3 of a raw recording when it is its turn.
   * Rejects with `ServiceError` `recording_unreadable`, or `recording_failed` (it may work later).
   * @param onProgress receives how much of the recording is encoded, in ms
   */
  encode(
    rawPath: string,
    mp3Path: string,
    onProgress: (encodedMs: number) => void = () => {},
  ): Promise<EncodedRecording> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#worker ??= this.#start();
      this.#waiting.set(id, { onProgress, resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ id, rawPath, mp3Path } satisfies ToEncoder);
    });
  }

  #start(): Worker {
    const worker = startThread(import.meta.url, './encoder-thread');
    worker.on('message', (message: FromEncoder) => this.#receive(message));
    const lost = (reason: string) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const waiting = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const { reject } of waiting) reject(encodingFailed('recording_failed', reason));
    };
    worker.on('error', (error) => lost(`The encoder stopped: ${error}`));
    worker.on('exit', () => lost('The encoder stopped'));
    return worker;
  }

  #receive(message: FromEncoder): void {
    const waiting = this.#waiting.get(message.id);
    if (message.type === 'progressed') {
      waiting?.onProgress(message.encodedMs);
      return;
    }
    this.#waiting.delete(message.id);
    // An idle thread does not keep the process running.
    if (this.#waiting.size === 0) this.#worker?.unref();
    switch (message.type) {
      case 'encoded':
        waiting?.resolve({ durationMs: message.durationMs, bytes: message.bytes });
        return;
      case 'failed':
        waiting?.reject(encodingFailed(message.code, message.message));
        return;
    }
  }
}

function encodingFailed(code: string, cause: string): ServiceError {
  return new ServiceError({
    code,
    status: 500,
    message: `The recording could not be encoded: ${cause}`,
    retryable: code !== 'recording_unreadable',
    cause,
  });
}
