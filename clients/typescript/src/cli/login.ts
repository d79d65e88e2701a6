import { createInterface } from 'node:readline/promises';
import { Voice } from '../client.js';
import { VoiceError } from '../errors.js';
import type { Shape } from './choose.js';
import type { Flags } from './flags.js';
import type { Described } from './help.js';
import { credentialsPath, forgetCredentials, keepCredentials } from './settings.js';

/** A command that needs no key. */
export interface KeylessCommand extends Described, Shape {
  readonly keyless: true;
  readonly run: (flags: Flags) => Promise<void>;
}

/** Asks for a key; resolves with nothing where the input ends without one. */
export async function asked(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return (await Promise.race([lines.question('API key (`npm run key` makes one): '), ended])).trim();
  } finally {
    lines.close();
  }
}

async function login(flags: Flags): Promise<void> {
  const baseUrl = flags.url ?? 'http://localhost:8080';
  const apiKey = flags.key || (await asked(process.stdin, process.stderr));
  if (apiKey === '') throw new VoiceError('No key was given: type it, pipe it in, or give --key.');
  // Refused here rather than by the first command.
  await new Voice({ baseUrl, apiKey }).agents.list({ limit: 1 });
  console.log(`Kept in ${keepCredentials(process.env, { url: baseUrl, key: apiKey })}.`);
}

export const KEYLESS: readonly KeylessCommand[] = [
  {
    name: 'login',
    arguments: '[--url URL] [--key KEY]',
    summary: 'keep where the service is and a key, for the other commands',
    values: 0,
    flags: ['url', 'key'],
    keyless: true,
    run: login,
  },
  {
    name: 'logout',
    arguments: '',
    summary: 'forget both',
    values: 0,
    flags: [],
    keyless: true,
    run: async () => {
      forgetCredentials(process.env);
      console.log(`${credentialsPath(process.env)} is gone.`);
    },
  },
];
