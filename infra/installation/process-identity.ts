import { readFileSync } from 'node:fs';

/** The kernel's clock ticks are hundredths of a second on every Linux that Node runs on (USER_HZ). */
const MS_PER_TICK = 10;

/**
 * Reads when the process began, in the kernel's ticks (proc_pid_stat(5), field 22): with the pid it names one
 * process for good. Null where the system has no /proc, or no such process.
 */
export function processBirth(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in brackets and may itself hold spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/**
 * Reads the CPU time that the process has used so far, in ms (the same file, fields 14 and 15); undefined where none
 * says.
 */
export function processCpuMs(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}

/** Checks whether that very process still runs; false where its birth is not known. */
export function stillRuns(process: { readonly pid: number; readonly birth: string | null }): boolean {
  return process.birth !== null && processBirth(process.pid) === process.birth;
}
