import { createInterface } from 'node:readline/promises';
import { Voice } from '../client.js';
import { ApiError, VoiceError } from '../errors.js';
import { COMMANDS } from './commands.js';
import { type Flags, parseFlags } from './flags.js';
import { credentialsPath, forgetCredentials, keepCredentials, readCredentials } from './settings.js';

const OWN = [
  ['login [--url URL] [--key KEY]', 'keep where the service is and a key, for the other commands'],
  ['logout', 'forget both'],
] as const;

function help(): string {
  const lines = [
    ...OWN.map(([usage, summary]) => [usage, summary]),
    ...COMMANDS.map((command) => [`${command.name} ${command.arguments}`.trim(), command.summary]),
  ];
  const width = Math.max(...lines.map(([usage]) => usage?.length ?? 0));
  return [
    'voice: AI voice agents on the phone, from the command line',
    '',
    ...lines.map(([usage = '', summary]) => `  voice ${usage.padEnd(width)}  ${summary}`),
    '',
    'VOICE_API_KEY and VOICE_API_URL go before what `voice login` has kept.',
  ].join('\n');
}

async function login(flags: Flags): Promise<void> {
  const url = flags.url ?? 'http://localhost:8080';
  let key = flags.key ?? '';
  if (key === '') {
    const input = createInterface({ input: process.stdin, output: process.stdout });
    key = (await input.question('API key (`npm run key` makes one): ')).trim();
    input.close();
  }
  // Refused here rather than by the first command.
  await new Voice({ baseUrl: url, apiKey: key }).agents.list({ limit: 1 });
  console.log(`Kept in ${keepCredentials(process.env, { url, key })}.`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseFlags(process.argv.slice(2));
  if (values.help || positionals.length === 0) return console.log(help());
  if (positionals[0] === 'login') return login(values);
  if (positionals[0] === 'logout') {
    forgetCredentials(process.env);
    return console.log(`${credentialsPath(process.env)} is gone.`);
  }
  const command = COMMANDS.find(
    ({ name }) => name === positionals.slice(0, name.split(' ').length).join(' '),
  );
  if (command === undefined) {
    throw new VoiceError(
      `There is no command ${positionals.join(' ')}; \`voice --help\` shows those that are.`,
    );
  }
  const credentials = readCredentials(process.env);
  if (credentials === undefined) throw new VoiceError('No API key: `voice login`, or set VOICE_API_KEY.');
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await command.run(
    {
      voice: new Voice({ baseUrl: credentials.url, apiKey: credentials.key }),
      print: (line) => console.log(line),
      signal: stop.signal,
      flags: values,
    },
    positionals.slice(command.name.split(' ').length),
  );
}

try {
  await main();
} catch (error) {
  const interrupted = error instanceof Error && error.name === 'AbortError';
  if (!interrupted) {
    const request = error instanceof ApiError && error.requestId ? ` (request ${error.requestId})` : '';
    console.error(`voice: ${error instanceof Error ? error.message : String(error)}${request}`);
    process.exitCode = error instanceof VoiceError ? 1 : 2;
  }
}
