import { DatabaseSync } from 'node:sqlite';

/**
 * Takes a file for this process; undefined when another one holds it. The lock is SQLite's own: the kernel frees
 * it when its holder ends, however it ends, so no lock is ever stale.
 */
export function lockFile(path: string): { free(): void } | undefined {
  const file = new DatabaseSync(path);
  try {
    file.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch {
    file.close();
    return undefined;
  }
  return { free: () => file.close() };
}
