import { statfs } from 'node:fs/promises';
import type { Clock } from '@voice/shared/clock/clock';

/** A process that starts writes; with less than this free it would only end again. */
const MIN_FREE_BYTES = 1024 * 1024;
const LOOK_EVERY_MS = 500;

export interface DiskRoomOptions {
  readonly dir: string;
  readonly clock: Clock;
  /** Free bytes of the directory's disk; rejects where that is not known. */
  readonly freeBytes?: (dir: string) => Promise<number>;
}

/** Resolves as soon as the disk has room, at once where it has or where that is not known. */
export async function diskRoom({ dir, clock, freeBytes = freeBytesOf }: DiskRoomOptions): Promise<void> {
  while ((await freeBytes(dir).catch(() => Number.POSITIVE_INFINITY)) < MIN_FREE_BYTES) {
    await clock.sleep(LOOK_EVERY_MS);
  }
}

async function freeBytesOf(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}
