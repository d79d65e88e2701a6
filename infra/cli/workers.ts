import { parseArgs } from 'node:util';
import { runProgram } from '@voice/shared/process/run-program';
import { holdWorkerBack, listWorkers } from '../installation/api-client.js';
import { readConfig } from './config.js';
import { findSystem } from './running-system.js';
import { workerList } from './worker-list.js';

const USAGE = `Usage: npm run workers -- list|drain ID|resume ID

  list        the media workers as they reported last
  drain ID    gives the worker no new calls; its live calls go on
  resume ID   gives it calls again

Environment: DATA_DIR of the running system (./data); for a system that was not started by “npm start”
on this machine: API_URL, INTERNAL_URL and INTERNAL_SECRET.
`;

runProgram(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h', default: false } },
  });
  const [what = 'list', id, ...more] = positionals;
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const takesId = what === 'drain' || what === 'resume';
  if ((what !== 'list' && !takesId) || takesId !== (id !== undefined) || more.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const system = findSystem(readConfig());
  const workers =
    id === undefined ? await listWorkers(system) : [await holdWorkerBack(system, id, what === 'drain')];
  process.stdout.write(workerList(workers, Date.now()));
  return 0;
});
