/** The thread that makes the MP3s of calls that are over, one at a time, away from the calls' event loop. */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { ServiceError } from '@voice/shared/errors/service-error';
import { encodeRecording } from './encode-recording.js';
import type { FromEncoder, ToEncoder } from './messages.js';

/** Nice value: nobody waits for an MP3 as callers wait for an answer. */
const PRIORITY = 10;

const send = (message: FromEncoder) => parentPort!.postMessage(message);

async function encode({ id, rawPath, mp3Path }: ToEncoder): Promise<void> {
  try {
    const onProgress = (encodedMs: number) => send({ type: 'progressed', id, encodedMs });
    send({ type: 'encoded', id, ...(await encodeRecording(rawPath, mp3Path, onProgress)) });
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : 'recording_failed';
    send({ type: 'failed', id, code, message: error instanceof Error ? error.message : String(error) });
  }
}

// On Linux a priority is a thread's own, so that only this thread yields.
if (process.platform === 'linux') setPriority(PRIORITY);

let work = Promise.resolve();
parentPort!.on('message', (message: ToEncoder) => {
  work = work.then(() => encode(message));
});
