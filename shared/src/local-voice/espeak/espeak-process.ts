/**
 * The process in which espeak-ng (GPL-3.0) lives: it speaks with the platform by messages only. One thread
 * synthesises, so that this one can take requests and cancellations meanwhile. Texts that were cut into
 * pieces take turns with others, piece by piece.
 */
import { Worker } from 'node:worker_threads';
import { bytesPerMs } from '../../audio/format.js';
import type { FromEspeak, Phonemization, Rendering, ToEspeak } from '../speech/messages.js';
import { piecesOf } from '../speech/sentences.js';

/** From the thread's failure to the end of the process, in ms. */
const GRACE_MS = 50;

interface SpeechJob extends Rendering {
  readonly type: 'speak';
  readonly pieces: string[];
  /** Audio of the pieces that are done, in ms. */
  offsetMs: number;
  /** Audio of the piece in work, in ms. */
  pieceMs: number;
}

type Job = SpeechJob | (Phonemization & { readonly type: 'phonemize' });

const cancelled = new SharedArrayBuffer(4);
const cancelledId = new Int32Array(cancelled);
const queue: Job[] = [];
let running: Job | undefined;
let ready = false;

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const thread = new Worker(new URL(`./espeak-thread.${extension}`, import.meta.url), {
  workerData: { cancelled },
});

function send(message: FromEspeak): void {
  process.send?.(message);
}

function next(): void {
  if (running || !ready) return;
  running = queue.shift();
  if (!running) return;
  if (running.type === 'phonemize') {
    thread.postMessage(running);
    return;
  }
  const { id, voices, rate, format, pieces } = running;
  const text = pieces.shift();
  if (text === undefined) {
    running = undefined;
    send({ type: 'done', id });
    next();
    return;
  }
  Atomics.store(cancelledId, 0, 0);
  thread.postMessage({ type: 'speak', id, text, voices, rate, format } satisfies ToEspeak);
}

thread.on('message', (message: FromEspeak) => {
  if (message.type === 'ready') {
    ready = true;
    send(message);
    next();
    return;
  }
  const job = running;
  if (!job || job.id !== message.id) return;
  if (job.type === 'phonemize') {
    running = undefined;
    send(message);
    next();
    return;
  }
  const stopped = Atomics.load(cancelledId, 0) === job.id;
  if (message.type === 'chunk') {
    job.pieceMs += message.audio.length / bytesPerMs(job.format);
    if (stopped) return;
    const words = message.words.map((word) => ({
      text: word.text,
      startMs: job.offsetMs + word.startMs,
      endMs: job.offsetMs + word.endMs,
    }));
    send({ ...message, words });
    return;
  }
  running = undefined;
  if (message.type === 'failed') {
    if (!stopped) send(message);
  } else if (!stopped) {
    job.offsetMs += job.pieceMs;
    job.pieceMs = 0;
    queue.push(job);
  }
  next();
});
thread.on('error', (error) => {
  process.stderr.write(`espeak-ng stopped: ${error.stack ?? error}\n`);
  // Messages sent before must still get out.
  setTimeout(() => process.exit(1), GRACE_MS);
});

process.on('message', (message: ToEspeak) => {
  if (message.type !== 'cancel') {
    if (message.type === 'phonemize') queue.unshift(message);
    else queue.push({ ...message, pieces: piecesOf(message.text), offsetMs: 0, pieceMs: 0 });
    next();
    return;
  }
  if (running?.id === message.id) Atomics.store(cancelledId, 0, message.id);
  const waiting = queue.findIndex((job) => job.id === message.id);
  if (waiting >= 0) queue.splice(waiting, 1);
});
// Without its platform the process has no purpose.
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
