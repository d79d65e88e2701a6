import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { VoiceError } from '../errors.js';

/** Where requests go, and by which key. */
export interface Credentials {
  readonly url: string;
  readonly key: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the path of the file that `voice login` writes. */
export function credentialsPath(environment: Environment): string {
  const base = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config');
  return join(base, 'voice', 'credentials.json');
}

/**
 * Returns what the environment says, else what `voice login` has kept; nothing when there is neither. Throws a
 * `VoiceError` where what is kept cannot be read.
 */
export function readCredentials(environment: Environment): Credentials | undefined {
  // What is kept and not needed hinders nobody.
  const isNeeded = !environment.VOICE_API_KEY || !environment.VOICE_API_URL;
  const kept = isNeeded ? readKept(credentialsPath(environment)) : undefined;
  const key = environment.VOICE_API_KEY || kept?.key;
  const url = environment.VOICE_API_URL || kept?.url || 'http://localhost:8080';
  return key === undefined ? undefined : { url, key };
}

/** Keeps credentials in a file that only its owner may read. */
export function keepCredentials(environment: Environment, credentials: Credentials): string {
  const path = credentialsPath(environment);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  return path;
}

/** Forgets what was kept. */
export function forgetCredentials(environment: Environment): void {
  rmSync(credentialsPath(environment), { force: true });
}

function readKept(path: string): Credentials | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new VoiceError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    const { url, key } = JSON.parse(text) as Partial<Credentials>;
    if (typeof url === 'string' && typeof key === 'string') return { url, key };
  } catch {
    // Said below, as of what is JSON and no credentials.
  }
  throw new VoiceError(`${path} is not what \`voice login\` wrote: log in anew.`);
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}
