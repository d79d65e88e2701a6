import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { passwordPath, readPassword } from '@voice/shared/embedded-store/access';

const PASSWORD_BYTES = 24;

/** Returns the password of the store with this directory: made at its first start, then kept for its owner alone. */
export function keepPassword(dataDir: string): string {
  const kept = readPassword(dataDir);
  if (kept !== undefined) return kept;
  const path = passwordPath(dataDir);
  const made = randomBytes(PASSWORD_BYTES).toString('base64url');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Whole or not at all: half a password would lock everybody out.
  const whole = `${path}.${process.pid}.new`;
  writeFileSync(whole, `${made}\n`, { mode: 0o600 });
  renameSync(whole, path);
  return made;
}
