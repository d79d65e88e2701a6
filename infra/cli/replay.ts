import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { readDecisionLog } from '../installation/api-client.js';
import { readConfig } from './config.js';
import { findDecisionLog } from './decision-log.js';
import { findSystem } from './running-system.js';

const USAGE = `Usage: npm run replay -- ID | FILE [--differences]

Prints a call's timeline by its decision log: what happened, and what was decided. Then runs it through today's
turn-taking and prints where it would decide differently.

  ID              of a call on this machine (DATA_DIR), else of the system that runs
  FILE            a decision log
  --differences   without the timeline

Exit code: 0 where today's decisions are the same, otherwise another.

Environment: DATA_DIR of the system (./data); for a system that was not started by “npm start” on this machine:
API_URL, INTERNAL_URL and INTERNAL_SECRET.
`;

/** From infra/dist/cli. */
const REPLAY = fileURLToPath(new URL('../../../media-plane/dist/replay.js', import.meta.url));

runProgram(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      differences: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [wanted, ...more] = positionals;
  if (wanted === undefined || more.length > 0) {
    process.stderr.write(`Name one call or one file.\n\n${USAGE}`);
    return 2;
  }
  const config = readConfig();
  const found = await findDecisionLog(wanted, {
    dataDir: config.dataDir,
    fetch: (callId) => readDecisionLog(findSystem(config), callId),
  });
  const timeline = values.differences ? [] : ['--timeline'];
  if (found.kind === 'file') return run([...timeline, found.path]);
  const folder = mkdtempSync(join(tmpdir(), 'replay-'));
  try {
    const path = join(folder, 'decisions.ndjson');
    writeFileSync(path, found.text, { mode: 0o600 });
    return await run([...timeline, path]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function run(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [REPLAY, ...args], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
