import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Takes the data directory for this process; undefined when another one holds it. The lock is SQLite's
 * own on a file: the kernel frees it when its holder ends, however it ends, so no lock is ever stale.
 */
export function lockDataDir(dataDir: string): { free(): void } | undefined {
  const file = new DatabaseSync(join(dataDir, 'launcher.lock'));
  try {
    file.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch {
    file.close();
    return undefined;
  }
  return { free: () => file.close() };
}
