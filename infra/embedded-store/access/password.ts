import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The one user of the store. */
export const STORE_USER = 'voice';
const PASSWORD_BYTES = 24;

/** Where the password of a store with this directory is kept. */
export const passwordPath = (dataDir: string): string => join(dataDir, 'password');

/** The password of the store with this directory: made at its first start, then kept for its owner alone. */
export function keepPassword(dataDir: string): string {
  const path = passwordPath(dataDir);
  try {
    const kept = readFileSync(path, 'utf8').trim();
    if (kept !== '') return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = randomBytes(PASSWORD_BYTES).toString('base64url');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Whole or not at all: half a password would lock everybody out.
  const whole = `${path}.${process.pid}.new`;
  writeFileSync(whole, `${made}\n`, { mode: 0o600 });
  renameSync(whole, path);
  return made;
}

/** The connection string of a store on this machine, for any MongoDB client. */
export function storeUri(options: {
  readonly port: number;
  readonly password: string;
  readonly database: string;
}): string {
  return `mongodb://${STORE_USER}:${encodeURIComponent(options.password)}@127.0.0.1:${options.port}/${options.database}`;
}
