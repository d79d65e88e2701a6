import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { createLoginLink, LOGIN_PAGES, type LoginPage } from '../installation/api-client.js';
import { readConfig } from './config.js';
import { findSystem } from './running-system.js';

const USAGE = `Usage: npm run login [-- --tenant NAME] [--page dashboard|talk]

Prints a link that signs in to the running system: it works once, for 15 minutes.

  --tenant NAME   whose dashboard; the tenant is created if it is new (default: default)
  --page PAGE     dashboard: API keys; talk: talk to an agent (default: dashboard)

Environment: DATA_DIR of the running system (./data); for a system that was not started by “npm start”
on this machine: API_URL, INTERNAL_URL and INTERNAL_SECRET.
`;

runProgram(async () => {
  const { values } = parseArgs({
    options: {
      tenant: { type: 'string' },
      page: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { url } = await createLoginLink(findSystem(readConfig()), {
    tenant: values.tenant,
    page: pageOf(values.page),
  });
  process.stdout.write(`${url}\n`);
  process.stderr.write(`Open it within 15 minutes. Tenant: ${values.tenant ?? 'default'}.\n`);
  return 0;
});

function pageOf(value: string | undefined): LoginPage | undefined {
  if (value === undefined) return undefined;
  const page = LOGIN_PAGES.find((known) => known === value);
  if (!page) throw new Error(`--page: expected ${LOGIN_PAGES.join(' or ')}, got “${value}”`);
  return page;
}
