/** The thread that waits for the disk, away from the calls' event loop. */
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { DiskResult, DiskTask, FromDisk, ToDisk } from './messages.js';

/** Recordings and events are their owner's alone. */
const MODE = 0o600;

function carryOut(task: DiskTask, bytes: Uint8Array): number {
  switch (task.type) {
    case 'open':
      return openSync(task.path, task.flags, MODE);
    case 'write':
      write(task.file, bytes, task.position);
      return 0;
    case 'truncate':
      ftruncateSync(task.file, task.length);
      return 0;
    case 'close':
      closeSync(task.file);
      return 0;
    case 'remove':
      rmSync(task.path, { force: true });
      return 0;
  }
}

/** A file system may take a part of it only. */
function write(file: number, bytes: Uint8Array, position: number | null): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(file, bytes, at, bytes.length - at, position === null ? null : position + at);
  }
}

function resultOf(task: DiskTask, bytes: Uint8Array): DiskResult {
  try {
    return carryOut(task, bytes);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { message, code };
  }
}

parentPort!.on('message', ({ tasks, bytes }: ToDisk) => {
  let at = 0;
  const results = tasks.map((task) => {
    const from = at;
    if (task.type === 'write') at += task.length;
    return resultOf(task, bytes.subarray(from, at));
  });
  parentPort!.postMessage({ results, bytes } satisfies FromDisk, [bytes.buffer]);
});
