import type { RunningProcess } from './child-process.js';
import type { LauncherConfig } from './config.js';

export const USAGE = `Usage: npm start

Runs the whole system in the foreground: the embedded store (unless MONGODB_URI names a MongoDB), the
simulated carrier, the control plane and WORKERS media workers. Ctrl-C stops it: live calls may finish;
a second Ctrl-C hangs up, a third ends all at once.

  PORT          8080     API, docs
  MEDIA_PORT    8081     media streams of the first worker
  WORKERS       1        media workers, one a core
  REPLICAS      1        control planes on the one store
  DATA_DIR      ./data   everything that is kept
  MONGODB_URI            a MongoDB in place of the embedded store
  LOG_FORMAT    human    or json
The README lists all variables.
`;

/** What a newcomer needs to know once all runs. */
export function banner(
  config: LauncherConfig,
  processes: readonly RunningProcess[],
  apiUrl: string,
  loginUrl: string | undefined,
  now = Date.now(),
): string {
  const workers = processes.filter(({ spec }) => spec.role === 'worker');
  const store = processes.find(({ spec }) => spec.role === 'store');
  const lines = [
    ['API', `${config.publicUrl ?? apiUrl}/api/v1`],
    ['API docs', `${config.publicUrl ?? apiUrl}/docs`],
    ['Media', workers.map(({ port }) => `ws://127.0.0.1:${port}`).join(' ') || 'no worker runs (WORKERS=0)'],
    ['Store', store ? `embedded, mongodb://127.0.0.1:${store.port}` : 'MONGODB_URI'],
    ['Data', config.dataDir],
    ['Dashboard', loginUrl ?? 'npm run login'],
    ['A first call', 'npm run call'],
    ['An API key', 'npm run key -- --name me --sandbox'],
  ];
  const seconds = ((now - config.startedAt) / 1000).toFixed(1);
  const text = lines.map(([name, value]) => `  ${name!.padEnd(14)}${value}\n`).join('');
  return `\nThe voice agent platform is up, ${seconds} s after the command.\n${text}  Ctrl-C drains and stops all.\n\n`;
}
