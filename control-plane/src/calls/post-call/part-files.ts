import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { Module } from '../../platform/module.js';

/** The folder of the storage for what is not whole yet: under its key, nothing but a whole file ever lies. */
export const PARTS = 'parts';
/** Another replica may share the folder: what was written to within this long may be in its hands, in ms. */
const OLD_MS = 60 * 60_000;
const LOOK_EVERY_MS = 60 * 60_000;

/** Returns a path for a file that is going to be written, on the file system of the storage: it can be renamed there. */
export async function newPart(root: string): Promise<string> {
  const folder = join(root, PARTS);
  await mkdir(folder, { recursive: true });
  return join(folder, newId());
}

interface PartFilesOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Removes what killed processes left half-written, at the start and then hourly, of this replica or of those that share its folder. */
export function createPartFilesModule({ dataDir, clock, log }: PartFilesOptions): Module {
  const folder = join(dataDir, PARTS);
  let next: Timer | undefined;
  let looking: Promise<void> | undefined;
  const look = () => {
    looking = removeLeft(folder, clock.now() - OLD_MS).catch((err: unknown) =>
      log.error({ err, folder }, 'what was left half-written could not be removed'),
    );
    next = clock.schedule(LOOK_EVERY_MS, look);
    return looking;
  };
  return {
    name: 'part-files',
    start: look,
    async stop() {
      next?.cancel();
      await looking;
    },
  };
}

/** Removes the files that were last written to before a time, in epoch ms. */
async function removeLeft(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder).catch(ifPresent([]))) {
    const path = join(folder, name);
    // Each may be complete by now, and gone from here.
    const found = await stat(path).catch(ifPresent(null));
    if (found && found.mtimeMs < before) await rm(path, { recursive: true, force: true });
  }
}

/** Returns what stands for a file or folder that is not there; any other error is thrown. */
const ifPresent =
  <Absent>(absent: Absent) =>
  (error: NodeJS.ErrnoException): Absent => {
    if (error.code !== 'ENOENT') throw error;
    return absent;
  };
