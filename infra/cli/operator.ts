import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { sendInternal } from '../installation/api-client.js';
import { readConfig } from './config.js';
import { findSystem } from './running-system.js';

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE'];
const INTERNAL = /^\/internal\/\S/;

const USAGE = `Usage: npm run operator -- METHOD PATH [BODY]

  METHOD  ${METHODS.join(', ')}
  PATH    of a request that only the operator sends, with its query:
            GET    /internal/tenants                        all tenants, newest first
            GET    /internal/tenants/ID                     one, with its usage
            PUT    /internal/tenants/ID/country             {"country": "US"}
            PUT    /internal/tenants/ID/region              {"region": "eu-west"}
            PUT    /internal/phones/ID/attestation          {"attestation": "A"}
            GET    /internal/billing/tenants/ID
            POST   /internal/billing/tenants/ID/credit      {"id": "UUID", "amount_usd": 25, "reason": "…"}
            PUT    /internal/billing/tenants/ID/daily-cap   {"limit_usd": 100}
            POST   /internal/calls/ID/hangup                {"reason": "…"}
            GET    /internal/compliance/dnc                 the do-not-call list that binds all tenants
            POST   /internal/compliance/dnc                 {"phone_numbers": ["+12125550142"], "note": "…"}
            DELETE /internal/compliance/dnc/NUMBER
  BODY    JSON

The request is signed, and its answer is printed as JSON. A refusal is said, and the exit code is 1 then.

Environment: DATA_DIR of the running system (./data); for a system that was not started by “npm start”
on this machine: API_URL, INTERNAL_URL and INTERNAL_SECRET.
`;

/** Returns the text where it is JSON. Throws an error that says what is wrong with it. */
function checkedJson(text: string): string {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new Error(`The body is not JSON (put it in single quotes for the shell): ${String(cause)}`, {
      cause,
    });
  }
  return text;
}

runProgram(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h', default: false } },
  });
  const [method = '', path = '', body, ...more] = positionals;
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (!METHODS.includes(method) || !INTERNAL.test(path) || more.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const sent = body === undefined ? undefined : checkedJson(body);
  const answer = await sendInternal(findSystem(readConfig()), method, path, sent);
  if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  return 0;
});
