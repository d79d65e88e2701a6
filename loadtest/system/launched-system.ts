import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestProcess } from './process.js';

interface RunningProcess {
  readonly name: string;
  readonly role: string;
  readonly pid: number;
  readonly port: number;
}

interface Runtime {
  readonly api_url: string;
  readonly internal_url: string;
  readonly processes: readonly RunningProcess[];
}

/** Limits that a test would reach by haste, or by what else the machine does. */
const UNHURRIED = {
  RATE_LIMIT_DEFAULT: '100000',
  RATE_LIMIT_SESSION: '100000',
  RATE_LIMIT_DIAL: '100000',
  WORKER_LAG_LIMIT_MS: '0',
};

/** A whole system that runs, known by its data directory. */
export class RunningSystem {
  constructor(readonly dataDir: string) {}

  get runtime(): Runtime {
    return JSON.parse(readFileSync(join(this.dataDir, 'runtime.json'), 'utf8')) as Runtime;
  }

  get apiUrl(): string {
    return this.runtime.api_url;
  }

  get internalUrl(): string {
    return this.runtime.internal_url;
  }

  get internalSecret(): string {
    const secrets = JSON.parse(readFileSync(join(this.dataDir, 'secrets.json'), 'utf8'));
    return String(secrets.internal_secret);
  }

  process(role: string): RunningProcess {
    const found = this.runtime.processes.find((entry) => entry.role === role);
    if (!found) throw new Error(`no ${role} runs`);
    return found;
  }
}

/** The whole system, started as `npm start` starts it, on free ports and a data directory of its own. */
export class LaunchedSystem extends RunningSystem {
  private constructor(
    readonly launcher: TestProcess,
    dataDir: string,
  ) {
    super(dataDir);
  }

  static async start(env: NodeJS.ProcessEnv = {}, outputFile?: string): Promise<LaunchedSystem> {
    const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'voice-e2e-'));
    const launcher = LaunchedSystem.launch({ ...env, DATA_DIR: dataDir }, outputFile);
    return new LaunchedSystem(await launcher.ready(), dataDir);
  }

  /** Starts the launcher without waiting for it. */
  static launch(env: NodeJS.ProcessEnv, outputFile?: string): TestProcess {
    return new TestProcess({
      entry: 'infra/dist/launcher/main.js',
      outputFile,
      // What a test would begin to build, it would not wait for.
      env: { PORT: '0', MEDIA_PORT: '0', MEDIASOUP_BUILD: 'off', ...UNHURRIED, ...env },
    });
  }

  /** Returns the last log lines, for a failed test's message. */
  tail(count = 40): string {
    return lastLines([...this.launcher.lines, ...this.launcher.errorLines], count);
  }

  /** Ends all and removes the data. Live calls are not waited for. */
  async stop(): Promise<void> {
    this.launcher.signal('SIGTERM');
    const force = setTimeout(() => this.launcher.signal('SIGINT'), 3000);
    await this.launcher.stop(20_000);
    clearTimeout(force);
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Returns the last lines of a system's output, requests left out. */
export function lastLines(lines: readonly string[], count: number): string {
  return lines
    .filter((line) => !/ info {2}request {2}/.test(line))
    .slice(-count)
    .join('\n');
}
