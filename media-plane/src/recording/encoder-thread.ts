/** The thread that encodes and writes all recordings of the process, away from the calls' event loop. */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { FromEncoder, ToEncoder } from './messages.js';
import { Mp3File } from './mp3-file.js';

const SILENCE = new Int16Array(8000);
/** Nice value: when cores are short, calls go first; what waits here is bounded by the recorder. */
const PRIORITY = 5;

const files = new Map<number, Mp3File>();
/** Each recording's messages in order, although opening one takes a while. */
const work = new Map<number, Promise<void>>();

const send = (message: FromEncoder) => parentPort!.postMessage(message);

async function handle(message: ToEncoder): Promise<void> {
  if (message.type === 'open') {
    files.set(message.id, await Mp3File.create(message.path));
    return;
  }
  const file = files.get(message.id);
  if (!file) return;
  switch (message.type) {
    case 'audio':
      writeSilence(file, message.silence);
      file.write(message.left, message.right);
      send({ type: 'taken', id: message.id });
      return;
    case 'finish':
      files.delete(message.id);
      writeSilence(file, message.silence);
      send({ type: 'finished', id: message.id, ...file.finish() });
      return;
    case 'abandon':
      files.delete(message.id);
      file.abandon();
      send({ type: 'abandoned', id: message.id });
      return;
  }
}

function writeSilence(file: Mp3File, samples: number): void {
  for (let left = samples; left > 0; left -= SILENCE.length) {
    const piece = SILENCE.subarray(0, Math.min(left, SILENCE.length));
    file.write(piece, piece);
  }
}

function fail(id: number, error: unknown): void {
  files.get(id)?.close();
  files.delete(id);
  send({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) });
}

// On Linux a priority is a thread's own, so that only this thread yields.
if (process.platform === 'linux') setPriority(PRIORITY);

parentPort!.on('message', (message: ToEncoder) => {
  const { id } = message;
  const done = (work.get(id) ?? Promise.resolve())
    .then(() => handle(message))
    .catch((error: unknown) => fail(id, error))
    .then(() => {
      if (work.get(id) === done) work.delete(id);
    });
  work.set(id, done);
});
