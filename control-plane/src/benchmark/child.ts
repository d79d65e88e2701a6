import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** From control-plane/dist/benchmark. */
const ROOT = new URL('../../../', import.meta.url);
const READY_WITHIN_MS = 30_000;

/** A server of the benchmark in a process of its own; `readyPort` once it has said that it serves. */
export class Child {
  private constructor(
    private readonly process: ChildProcess,
    readonly port: number,
    /** Of a control plane's internal listener. */
    readonly internalPort: number | undefined,
  ) {}

  /** `entry` is a built file, relative to the project's root. */
  static start(
    entry: string,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Child> {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL(entry, ROOT)), ...args],
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
        resolve(new Child(child, message.port, message.internal_port));
      });
      child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new Error(`${entry} ended with exit code ${code}`));
      });
    });
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => this.process.once('exit', () => resolve()));
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), 10_000);
    await exited;
    clearTimeout(timer);
  }
}
