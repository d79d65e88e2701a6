import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { createKey } from '../installation/api-client.js';
import { readConfig } from './config.js';
import { findSystem } from './running-system.js';

const USAGE = `Usage: npm run key -- --name NAME [--sandbox] [--tenant NAME]

Creates an API key on the running system and prints it, once, alone on standard output.

  --name NAME     what the key is called in lists
  --sandbox       a key for test numbers only (sk_test_…); without it sk_live_…
  --tenant NAME   whose key it is; the tenant is created if it is new (default: default)

Environment: DATA_DIR of the running system (./data); for a system that was not started by “npm start”
on this machine: API_URL, INTERNAL_URL and INTERNAL_SECRET.
`;

runProgram(async () => {
  const { values } = parseArgs({
    options: {
      name: { type: 'string' },
      sandbox: { type: 'boolean', default: false },
      tenant: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (!values.name) {
    process.stderr.write(`--name is missing.\n\n${USAGE}`);
    return 2;
  }
  const { key, tenant_id } = await createKey(findSystem(readConfig()), {
    name: values.name,
    sandbox: values.sandbox,
    tenant: values.tenant,
  });
  process.stdout.write(`${key}\n`);
  process.stderr.write(
    `${values.sandbox ? 'Sandbox' : 'Live'} key “${values.name}” of tenant ${values.tenant ?? 'default'} (${tenant_id}). It is not shown again.\n`,
  );
  return 0;
});
