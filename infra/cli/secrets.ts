import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { type RotationStatus, rotateSecrets, secretsRotation } from '../installation/api-client.js';
import { secretsPath } from '../installation/kept-secrets.js';
import { readConfig } from './config.js';
import { findSystem } from './running-system.js';

const USAGE = `Usage: npm run secrets -- rotate|status|new-key

  new-key   prints a new key for SECRETS_KEY, alone on standard output
  rotate    seals everything that is encrypted in the store anew under SECRETS_KEY, in the background, and prints
            its progress; Ctrl-C ends the printing, not the work
  status    how far that is

To change the key: start every control plane with SECRETS_KEY=<new> and SECRETS_KEYS_OLD=<the one until now>, run
“rotate”, and start them without SECRETS_KEYS_OLD once it is done. (Where no SECRETS_KEY was ever set, the one until
now is secrets_key in DATA_DIR/secrets.json. With several replicas that are not started at the same time, give all of
them the new key in SECRETS_KEYS_OLD first.)

Environment: DATA_DIR of the running system (./data); for a system that was not started by “npm start”
on this machine: API_URL, INTERNAL_URL and INTERNAL_SECRET.
`;

const LOOK_MS = 500;
const KEY_BYTES = 32;

runProgram(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [command, ...more] = positionals;
  if (more.length > 0) return wrong(`there is no “${more.join(' ')}” after “${command}”`);
  switch (command) {
    case 'new-key':
      process.stdout.write(`${randomBytes(KEY_BYTES).toString('hex')}\n`);
      process.stderr.write(
        `Set it as SECRETS_KEY, and the one until now as SECRETS_KEYS_OLD (if you never set one: secrets_key in ${secretsPath(readConfig().dataDir)}).\n`,
      );
      return 0;
    case 'status':
      process.stdout.write(`${statusLine(await secretsRotation(findSystem(readConfig())))}\n`);
      return 0;
    case 'rotate':
      return rotate();
    default:
      return wrong(command === undefined ? 'a command is missing' : `there is no command “${command}”`);
  }
});

function wrong(reason: string): number {
  process.stderr.write(`${reason}\n\n${USAGE}`);
  return 2;
}

async function rotate(): Promise<number> {
  const system = findSystem(readConfig());
  let now = await rotateSecrets(system);
  while (now.state === 'running') {
    process.stderr.write(`${statusLine(now)}\n`);
    await sleep(LOOK_MS);
    now = await secretsRotation(system);
  }
  process.stdout.write(`${statusLine(now)}\n`);
  return now.unreadable === 0 ? 0 : 1;
}

function statusLine({ key_id, known_key_ids, state, rewritten, unreadable }: RotationStatus): string {
  switch (state) {
    case 'never':
      return `Nothing was sealed anew under the key ${key_id} yet. Known keys: ${known_key_ids.join(', ')}.`;
    case 'running':
      return `Sealing anew under the key ${key_id}: ${rewritten} so far.`;
    case 'done':
      return unreadable === 0
        ? `All is sealed under the key ${key_id} (${rewritten} anew). SECRETS_KEYS_OLD is not needed any more.`
        : `${rewritten} sealed anew under the key ${key_id}, but ${unreadable} cannot be opened: add their key to SECRETS_KEYS_OLD and run it again.`;
  }
}
