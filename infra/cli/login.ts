import { parseArgs } from 'node:util';
import { createLoginLink } from './api-client.js';
import { readConfig } from './config.js';
import { runCommand } from './run-command.js';
import { findSystem } from './running-system.js';

const USAGE = `Usage: npm run login [-- --tenant NAME]

Prints a link that signs in to the dashboard of the running system: it works once, for 15 minutes.

  --tenant NAME   whose dashboard; the tenant is created if it is new (default: default)

Environment: DATA_DIR of the running system (./data); for a system that was not started by “npm start”
on this machine: API_URL and INTERNAL_SECRET.
`;

runCommand(async () => {
  const { values } = parseArgs({
    options: {
      tenant: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { url } = await createLoginLink(findSystem(readConfig()), { tenant: values.tenant });
  process.stdout.write(`${url}\n`);
  process.stderr.write(`Open it within 15 minutes. Tenant: ${values.tenant ?? 'default'}.\n`);
  return 0;
});
