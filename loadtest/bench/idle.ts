import { setTimeout as sleep } from 'node:timers/promises';
import type { BuiltProgram } from '@voice/shared/process/built-program';

/** A heartbeat of a worker is in each. */
const PIECE_MS = 2000;
const PIECES = 5;
/** How long it takes to measure an idle process, in ms. */
export const IDLE_MS = PIECES * PIECE_MS;

/**
 * Returns the processor time of a process that has nothing to do, in ms a second. Between 10 and 60 s after it had,
 * V8 collects once what that has left (140 ms of a worker after its start): so it is the median of pieces, of which that
 * is one at most.
 */
export async function idleCpu(program: Pick<BuiltProgram, 'threadTimeMs'>): Promise<number> {
  const pieces: number[] = [];
  let before = { at: performance.now(), ms: program.threadTimeMs() };
  for (let piece = 0; piece < PIECES; piece++) {
    await sleep(PIECE_MS);
    const now = { at: performance.now(), ms: program.threadTimeMs() };
    pieces.push(((now.ms - before.ms) / (now.at - before.at)) * 1000);
    before = now;
  }
  return pieces.sort((a, b) => a - b)[Math.floor(PIECES / 2)]!;
}
