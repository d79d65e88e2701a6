import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { checkRollups } from '../installation/api-client.js';
import { readConfig } from './config.js';
import { findSystem } from './running-system.js';

const USAGE = `Usage: npm run rollups -- check|rebuild

The sums that overview, usage and campaigns' analytics read are kept as calls end. This counts all calls and all
records of usage anew, tenant by tenant, and holds the sums against them, while the system runs.

  check     prints what differs, and exits with 1 where anything does
  rebuild   puts it right as well

Environment: DATA_DIR of the running system (./data); for a system that was not started by “npm start”
on this machine: API_URL, INTERNAL_URL and INTERNAL_SECRET.
`;

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
  if ((command !== 'check' && command !== 'rebuild') || more.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const system = findSystem(readConfig());
  let owners = 0;
  let different = 0;
  for (let after = ''; ; ) {
    const { checked } = await checkRollups(system, { after, repair: command === 'rebuild' });
    if (checked === null) break;
    after = checked.id;
    owners += 1;
    different += checked.different;
    if (checked.different > 0) process.stdout.write(`${JSON.stringify(checked)}\n`);
  }
  process.stdout.write(
    different === 0
      ? `The sums of ${owners} owners are those of a full count.\n`
      : `${different} rows ${command === 'rebuild' ? 'differed and were put right' : 'differ: “rebuild” puts them right'}.\n`,
  );
  return different > 0 && command === 'check' ? 1 : 0;
});
