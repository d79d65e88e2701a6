import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

const keptSecrets = z.object({
  /** Distinguishes this installation's workers from another's on the same database. */
  instance_id: z.string(),
  internal_secret: z.string(),
  secrets_key: z.string(),
  simulated_carrier_account_sid: z.string(),
  simulated_carrier_auth_token: z.string(),
});
export type KeptSecrets = z.infer<typeof keptSecrets>;

export const secretsPath = (dataDir: string): string => join(dataDir, 'secrets.json');

/** Keeps the installation's secrets: made once, then kept in `DATA_DIR/secrets.json` for its owner alone. */
export function keepSecrets(dataDir: string): KeptSecrets {
  const kept = readSecrets(dataDir);
  if (kept) return kept;
  const made: KeptSecrets = {
    instance_id: hex(4),
    internal_secret: hex(32),
    secrets_key: hex(32),
    simulated_carrier_account_sid: `AC${hex(16)}`,
    simulated_carrier_auth_token: hex(16),
  };
  const path = secretsPath(dataDir);
  // Whole or not at all: data encrypted under a half-written key would be lost.
  writeFileSync(`${path}.new`, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return made;
}

/** Reads the kept secrets; undefined when there are none yet. Throws when the file is there but not right. */
export function readSecrets(dataDir: string): KeptSecrets | undefined {
  const path = secretsPath(dataDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return keptSecrets.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(
      `${path} is damaged. Put back its copy; without it, what is encrypted in the database is lost.`,
      { cause },
    );
  }
}
