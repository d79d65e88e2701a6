import { join } from 'node:path';
import { lockFile } from '../installation/file-lock.js';

/** Takes the data directory for this process; undefined when another one holds it. */
export const lockDataDir = (dataDir: string): { free(): void } | undefined =>
  lockFile(join(dataDir, 'launcher.lock'));
