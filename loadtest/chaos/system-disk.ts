import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Room for the store, the spools and the recordings of a run. */
const SIZE_MB = 256;
const BLOCK = Buffer.alloc(256 * 1024);

/** Where the system keeps its data, and how its disk is filled. */
export interface SystemDisk {
  readonly dir: string;
  /** In words, for the report. */
  readonly kind: string;
  /** Fills it; the function makes room again. Undefined where it cannot be filled. `pids`: who writes to it. */
  readonly fill: ((pids: readonly number[]) => () => void) | undefined;
  remove(): void;
}

/** Mounts a small tmpfs where that is allowed, else limits files of single processes, else leaves full disks out. */
export function createSystemDisk(): SystemDisk {
  const dir = mkdtempSync(join(tmpdir(), 'chaos-'));
  const removeDir = () => rmSync(dir, { recursive: true, force: true });
  let fillers = 0;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'none', dir]).status === 0) {
    return {
      dir,
      kind: `a tmpfs of ${SIZE_MB} MB that is filled`,
      fill: () => fillWith(join(dir, `filler-${fillers++}`)),
      remove() {
        spawnSync('umount', ['--lazy', dir]);
        removeDir();
      },
    };
  }
  if (spawnSync('prlimit', ['--version']).status === 0) {
    return {
      dir,
      kind: 'limits on the files of processes (no right to mount)',
      fill: limit,
      remove: removeDir,
    };
  }
  return { dir, kind: 'none: neither mount nor prlimit is to be had', fill: undefined, remove: removeDir };
}

function fillWith(path: string): () => void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, BLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
  return () => rmSync(path, { force: true });
}

function limit(pids: readonly number[]): () => void {
  const set = (size: string) => {
    for (const pid of pids) {
      try {
        execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:`], { stdio: 'ignore' });
      } catch {
        // It ended meanwhile; the process that takes its place has no limit.
      }
    }
  };
  set('0');
  return () => set('unlimited');
}
