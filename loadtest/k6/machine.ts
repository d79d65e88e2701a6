import { cpus, loadavg } from 'node:os';
import type { Cores } from '../system/own-core.js';

/** Names the machine and how busy it was before, for a report. */
export function describeMachine(cores?: Cores): string {
  const [first] = cpus();
  const [load] = loadavg();
  return (
    `${first?.model.trim() ?? 'unknown'}, ${cpus().length} cores, Node ${process.version}; load average ` +
    `${load!.toFixed(1)} before. ` +
    (cores
      ? `The worker has processor ${cores.worker} alone; k6, the emulated vendors and the rest of the system have ${cores.others.join(', ')}.`
      : 'k6 and the emulated vendors share the cores with the system.')
  );
}
