import { fsyncSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointReport, CheckpointRequest, CheckpointThreadData } from './checkpoints.js';

/** What was written while the first was under way is little, and while the second was, next to nothing. */
const ROUNDS = 2;

const { file, descriptor, signs } = workerData as CheckpointThreadData;
const db = new DatabaseSync(file);
db.exec('PRAGMA busy_timeout = 2000; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
const copy = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort!.on('message', (request: CheckpointRequest) => {
  let report: CheckpointReport = 'copied';
  try {
    if (request === 'close') db.close();
    else {
      for (let round = 0; round < ROUNDS; round++) {
        copy.get();
        // SQLite leaves it to the checkpoint that comes to the log's end, which would wait for all of it.
        fsyncSync(descriptor);
      }
    }
  } catch {
    // A full disk: what is in the log stays there.
    report = 'failed';
  }
  parentPort!.postMessage(report);
  if (request === 'close') parentPort!.close();
  Atomics.add(signs, 0, 1);
  Atomics.notify(signs, 0);
});
