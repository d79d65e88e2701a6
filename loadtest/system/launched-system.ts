import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestProcess } from './process.js';

interface Runtime {
  readonly api_url: string;
  readonly internal_url: string;
  readonly processes: readonly { name: string; role: string; pid: number; port: number }[];
}

/** Limits that a test would reach by haste. */
const UNHURRIED = { RATE_LIMIT_DEFAULT: '100000', RATE_LIMIT_DIAL: '100000' };

/** The whole system, started as `npm start` starts it, on free ports and a data directory of its own. */
export class LaunchedSystem {
  private constructor(
    readonly launcher: TestProcess,
    readonly dataDir: string,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}): Promise<LaunchedSystem> {
    const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'voice-e2e-'));
    const launcher = LaunchedSystem.launch({ ...env, DATA_DIR: dataDir });
    return new LaunchedSystem(await launcher.ready(), dataDir);
  }

  /** Starts the launcher without waiting for it. */
  static launch(env: NodeJS.ProcessEnv): TestProcess {
    return new TestProcess({
      entry: 'infra/dist/launcher/main.js',
      // What a test would begin to build, it would not wait for.
      env: { PORT: '0', MEDIA_PORT: '0', MEDIASOUP_BUILD: 'off', ...UNHURRIED, ...env },
    });
  }

  get runtime(): Runtime {
    return JSON.parse(readFileSync(join(this.dataDir, 'runtime.json'), 'utf8')) as Runtime;
  }

  get apiUrl(): string {
    return this.launcher.url;
  }

  get internalUrl(): string {
    return this.runtime.internal_url;
  }

  get internalSecret(): string {
    const secrets = JSON.parse(readFileSync(join(this.dataDir, 'secrets.json'), 'utf8'));
    return String(secrets.internal_secret);
  }

  process(role: string): { readonly pid: number; readonly port: number } {
    const found = this.runtime.processes.find((entry) => entry.role === role);
    if (!found) throw new Error(`no ${role} runs`);
    return found;
  }

  /** Returns the last log lines, for a failed test's message. */
  tail(count = 40): string {
    const shown = this.launcher.lines.filter((line) => !/ info {2}request {2}/.test(line));
    return [...shown, ...this.launcher.errorLines].slice(-count).join('\n');
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
