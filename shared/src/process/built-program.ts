import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** From shared/dist/process as from shared/src/process. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const READY_WITHIN_MS = 30_000;
/** What a program has for its end before it is killed. */
const STOP_WITHIN_MS = 10_000;
/** The kernel's clock ticks a second (`getconf CLK_TCK`), 100 on every Linux. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

export interface Usage {
  /** User and system time since the process began, in ms. */
  readonly cpuMs: number;
  /** Resident memory, in bytes. */
  readonly memory: number;
}

/** A built program of the repository in a process of its own, for benches: a plane, a worker, an emulator. */
export class BuiltProgram {
  private constructor(
    private readonly process: ChildProcess,
    readonly port: number,
    /** Of a control plane's internal listener. */
    readonly internalPort: number | undefined,
  ) {}

  /**
   * Starts it; resolves once it has sent `{ type: 'ready', port }` over its IPC channel.
   * @param entry a built file, relative to the repository's root
   * @param nodeArgs options of Node itself
   */
  static start(
    entry: string,
    args: readonly string[] = [],
    env: NodeJS.ProcessEnv = {},
    nodeArgs: readonly string[] = [],
  ): Promise<BuiltProgram> {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', ...nodeArgs, `${ROOT}${entry}`, ...args],
      {
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    );
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`${entry} did not come up`));
      }, READY_WITHIN_MS);
      child.on('message', (message: { type?: string; port?: number; internal_port?: number }) => {
        if (message.type !== 'ready' || message.port === undefined) return;
        clearTimeout(timer);
        resolve(new BuiltProgram(child, message.port, message.internal_port));
      });
      child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new Error(`${entry} ended with exit code ${code}`));
      });
    });
  }

  get pid(): number {
    return this.process.pid!;
  }

  /** Measures it with the processes that it has started. */
  usage(): Usage {
    return usageOf([this.process.pid!, ...childrenOf(this.process.pid!)]);
  }

  /** Measures only the processes that it has started, such as mediasoup's worker. */
  usageOfChildren(): Usage {
    return usageOf(childrenOf(this.process.pid!));
  }

  /**
   * Returns what its threads and those of its children have run, in ms: finer than the ticks of 10 ms in which `usage`
   * counts, and without threads that have ended. For short pieces of a process that does little.
   */
  threadTimeMs(): number {
    return [this.pid, ...childrenOf(this.pid)].reduce((sum, pid) => sum + threadTimeOf(pid), 0);
  }

  /** Ends it at once, as a crash would. */
  kill(): void {
    this.process.kill('SIGKILL');
  }

  /** Resolves to its exit code when it has ended by itself; null where a signal ended it. */
  ended(): Promise<number | null> {
    const { process: child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
    return new Promise((resolve) => child.once('exit', resolve));
  }

  /** Asks it to end, and kills it when it does not. */
  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => this.process.once('exit', () => resolve()));
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), STOP_WITHIN_MS);
    await exited;
    clearTimeout(timer);
  }
}

/** Sums what processes use by proc(5): `/proc/<pid>/stat` fields 14 and 15, `/proc/<pid>/statm` field 2. */
export function usageOf(pids: readonly number[]): Usage {
  let ticks = 0;
  let pages = 0;
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
    pages += Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  }
  return { cpuMs: (ticks / TICKS_PER_SECOND) * 1000, memory: pages * PAGE_BYTES };
}

/** Sums what the threads of a process have run, in ms, by the first field of `/proc/<pid>/task/<tid>/schedstat`. */
function threadTimeOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
    return sum + Number(stat.split(' ')[0]) / 1e6;
  }, 0);
}

/** Lists the children of a process; Node starts them from its first thread. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}
