import { cpus, loadavg } from 'node:os';

/** Names the machine and how busy it was before, for a report. */
export function describeMachine(): string {
  const [first] = cpus();
  const [load] = loadavg();
  return (
    `${first?.model.trim() ?? 'unknown'}, ${cpus().length} cores, Node ${process.version}; load average ` +
    `${load!.toFixed(1)} before. k6 and the emulated vendors share the cores with the system.`
  );
}
