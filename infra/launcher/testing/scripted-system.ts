import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ENTRIES = {
  store: 'infra/dist/embedded-store/main.js',
  carrier: 'infra/dist/simulated-carrier/main.js',
  'control-plane': 'control-plane/dist/main.js',
  worker: 'media-plane/dist/main.js',
};
type Role = keyof typeof ENTRIES;

/** A process that keeps to the conventions: says ready, stops on SIGTERM, and ends with its parent. */
const GOOD = `
const net = require('node:net');
const flag = process.argv.indexOf('--port');
const { SIMULATED_CARRIER_PORT, MEDIA_PORT, PORT } = process.env;
const port = Number(flag > 0 ? process.argv[flag + 1] : (SIMULATED_CARRIER_PORT ?? MEDIA_PORT ?? PORT ?? 0));
const server = net.createServer().listen(port, '127.0.0.1', () => {
  console.log(JSON.stringify({ level: 30, time: new Date().toISOString(), name: 'x', msg: 'serving', role: process.env.ROLE }));
  const { port } = server.address();
  process.send({ type: 'ready', port, ...(process.env.INTERNAL_PORT ? { internal_port: port } : {}) });
});
process.on('SIGTERM', () => { console.log('stopped'); process.exit(0); });
process.on('disconnect', () => process.exit(0));
`;

/** Process bodies for what can go wrong. */
export const SCRIPTS = {
  good: GOOD,
  failsToStart: `console.error('PORT 9 is taken, they say'); process.exit(1);`,
  diesOnceServing: `${GOOD}\nsetTimeout(() => process.exit(3), 100);`,
  /** The first replica lives; further ones do not. */
  secondDies: `${GOOD}\nif (!process.env.PUBLIC_URL.endsWith(':' + process.env.PORT)) setTimeout(() => process.exit(3), 100);`,
  ignoresTermination: `${GOOD}\nprocess.removeAllListeners('SIGTERM'); process.on('SIGTERM', () => console.log('draining'));`,
};

/** Creates a project root whose four programs are the given scripts. */
export function scriptedRoot(scripts: Partial<Record<Role, string>> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'launcher-'));
  const replace = (role: Role, script: string) => {
    const path = join(root, ENTRIES[role]);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, script);
  };
  for (const role of Object.keys(ENTRIES) as Role[]) replace(role, scripts[role] ?? SCRIPTS.good);
  return { root, replace, remove: () => rmSync(root, { recursive: true, force: true }) };
}
