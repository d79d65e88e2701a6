import { readFileSync } from 'node:fs';
import { Voice } from '../client.js';
import { ApiError, VoiceError } from '../errors.js';
import { choose } from './choose.js';
import { COMMANDS } from './commands.js';
import { parseFlags } from './flags.js';
import { help } from './help.js';
import { KEYLESS } from './login.js';
import { readCredentials } from './settings.js';

const ALL = [...KEYLESS, ...COMMANDS];
/** As shells have it for what Ctrl-C ended. */
const INTERRUPTED = 130;

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

async function main(): Promise<void> {
  const { values: flags, positionals: words } = parseFlags(process.argv.slice(2));
  if (flags.version) return console.log(version());
  if (flags.help || words.length === 0) return console.log(help(ALL, words));
  const { command, values } = choose(ALL, words, flags);
  if (command.keyless) return command.run(flags);
  const credentials = readCredentials(process.env);
  if (credentials === undefined) throw new VoiceError('No API key: `voice login`, or set VOICE_API_KEY.');
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const voice = new Voice({ baseUrl: credentials.url, apiKey: credentials.key });
  await command.run({ voice, print: (line) => console.log(line), signal: stop.signal, flags }, values);
}

// Who reads it has enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

try {
  await main();
} catch (error) {
  if (error instanceof Error && error.name === 'AbortError') process.exitCode = INTERRUPTED;
  else {
    const request = error instanceof ApiError && error.requestId ? ` (request ${error.requestId})` : '';
    console.error(`voice: ${error instanceof Error ? error.message : String(error)}${request}`);
    process.exitCode = error instanceof VoiceError ? 1 : 2;
  }
}
