import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@voice/shared/clock/clock';
import { outdateBundle } from '@voice/shared/process/bundle';
import { type ParentRequest, restartedMessage } from '../launcher/parent-requests.js';
import { affected, filesBehind } from './affected.js';
import { BuildQueue } from './build-queue.js';
import { CompiledFiles } from './compiled-files.js';
import { watchSources } from './source-watch.js';
import { transpile } from './transpile.js';

const USAGE = `Usage: npm run dev

Runs the whole system as npm start does. What you change runs at once, in new processes; its types are checked then.
Variables configure it as they configure npm start (docs/configuration.md). Ctrl-C ends everything.
`;

const root = fileURLToPath(new URL('../../../', import.meta.url));
const LAUNCHER = 'infra/dist/launcher/main.js';
/** What the launcher runs, by role, and the launcher itself. */
const ENTRIES = {
  store: 'infra/dist/embedded-store/main.js',
  carrier: 'infra/dist/simulated-carrier/main.js',
  'control-plane': 'control-plane/dist/main.js',
  worker: 'media-plane/dist/main.js',
  launcher: LAUNCHER,
};
/** What the processes are compiled from; the shared code is built with them. */
const PROJECTS = ['control-plane', 'media-plane', 'infra'];
/** What may have been bundled for `npm start`: with a change it starts from single files, which are not bundled in time. */
const BUNDLED = ['control-plane', 'media-plane'];
/** Live calls of a development system are hung up: the launcher takes signals within a second for one. */
const HURRY_AFTER_MS = 1100;

/** When the compiled files are read, in ms: after the system has started. */
const READ_AFTER_MS = 5000;
/** The types of what was changed are checked once it runs, or after this, in ms: both want the whole machine. */
const RESTARTED_WITHIN_MS = 10_000;

/** A terminal's Ctrl-C arrives from the terminal and again from each program above us. */
const SAME_SIGNAL_MS = 1000;

const log = (line: string) => void process.stderr.write(`dev: ${line}\n`);

/** Compiles what has changed, and whatever uses it; false where there are errors, which it prints. */
function compile(): Promise<boolean> {
  const startedAt = performance.now();
  const compiler = spawn(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-b', ...PROJECTS],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  return new Promise((resolve) => {
    compiler.once('error', () => resolve(false));
    compiler.once('exit', (code) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      if (code === 0) log(`built in ${seconds} s`);
      resolve(code === 0);
    });
  });
}

/** When packages were installed last, epoch ms. */
const installedAt = () =>
  statSync(join(root, 'node_modules/.package-lock.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Processes that the launcher was asked to start anew. */
interface Restart {
  readonly roles: readonly string[];
  /** What it followed, and when that was, in epoch ms. */
  readonly cause: 'change' | 'build';
  readonly at: number;
  /** They run, or never will. */
  readonly onOver: () => void;
}

class DevelopmentSystem {
  readonly #files = new CompiledFiles(root);
  readonly #builds = new BuildQueue({
    clock: systemClock,
    build: () => this.#build(),
    onBuilt: () => void this.#onBuilt(),
  });
  readonly #watch = watchSources(root, (file) => this.#onChange(file));
  /** Sources that were changed and run nowhere yet, and when the first of them was, in epoch ms. */
  readonly #changed = new Set<string>();
  #changedAt = 0;
  /** Compiled files that run already, without their types having been checked. */
  readonly #unchecked = new Set<string>();
  #launcher: ChildProcess | undefined;
  /** Epoch ms: what was written later has not been looked at. */
  #lookedAt = Date.now();
  /** Restarts that the launcher has not answered yet. */
  #asked: Restart[] = [];
  /** When the packages were installed that the prepared start has loaded, epoch ms. */
  #preparedFrom: number | undefined;
  #isStopping = false;

  constructor() {
    this.#launch();
    // The first change should not wait for it.
    systemClock.schedule(READ_AFTER_MS, () => {
      affected([], ENTRIES, this.#files.references);
      this.#prepare();
    });
  }

  /** Ends the system, and looks at no further change; resolves when all has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#watch.close();
    this.#builds.stop();
    await this.#endLauncher();
  }

  /** A further signal: live calls are not waited for. */
  hurry(): void {
    this.#launcher?.kill('SIGTERM');
  }

  #launch(): void {
    const launcher = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--enable-source-maps', join(root, LAUNCHER)],
      { cwd: root, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] },
    );
    this.#launcher = launcher;
    launcher.on('message', (message) => this.#onAnswer(message));
    launcher.once('exit', () => {
      for (const { onOver } of this.#asked.splice(0)) onOver();
      if (this.#launcher !== launcher) return;
      this.#launcher = undefined;
      if (!this.#isStopping) log('the system ended; it is started again after the next build');
    });
  }

  #onChange(source: string): void {
    if (this.#changed.size === 0) this.#changedAt = Date.now();
    this.#changed.add(source);
    this.#builds.request();
  }

  async #build(): Promise<boolean> {
    await this.#runUnchecked();
    const isRight = await compile();
    this.#prepare();
    if (!isRight) {
      const what =
        this.#unchecked.size > 0 ? 'what was changed runs all the same' : 'the system runs on as it was';
      log(`the build has errors: ${what}`);
    }
    return isRight;
  }

  /** Starts what runs a changed source anew before anything has checked its types. */
  async #runUnchecked(): Promise<void> {
    const at = this.#changedAt;
    const sources = [...this.#changed];
    this.#changed.clear();
    // What nothing runs is looked at after the build.
    if (!this.#launcher) return;
    const written = sources.flatMap((source) => transpile(root, source) ?? []);
    if (written.length > 0) for (const plane of BUNDLED) outdateBundle(plane, root);
    const forget = () => {
      for (const file of written) this.#files.forget(file);
    };
    forget();
    const names = affected(written, ENTRIES, this.#files.references);
    if (names.length === 0 || names.includes('launcher')) {
      // With the launcher everything is started again, after the build: these are still to be found then.
      forget();
      return;
    }
    for (const file of written) this.#unchecked.add(file);
    await Promise.race([this.#restart(names, 'change', at), systemClock.sleep(RESTARTED_WITHIN_MS)]);
  }

  async #onBuilt(): Promise<void> {
    const builtAt = Date.now();
    const changed = this.#files.changedSince(this.#lookedAt).filter((file) => !this.#unchecked.has(file));
    this.#unchecked.clear();
    this.#lookedAt = builtAt;
    if (this.#isStopping) return;
    if (!this.#launcher) {
      if (changed.length > 0) this.#launch();
      return;
    }
    const names = affected(changed, ENTRIES, this.#files.references);
    if (names.includes('launcher')) {
      log('the launcher has changed: everything is started again');
      await this.#endLauncher();
      if (!this.#isStopping) this.#launch();
    } else if (names.length > 0) void this.#restart(names, 'build', builtAt);
  }

  /** Resolves when they run, or never will. */
  #restart(names: readonly (keyof typeof ENTRIES)[], cause: Restart['cause'], at: number): Promise<void> {
    const roles = names.filter((name) => name !== 'launcher');
    // What was prepared may have loaded packages that have been replaced since.
    if (installedAt() !== this.#preparedFrom) this.#prepare();
    return new Promise((resolve) => {
      this.#asked.push({ roles, cause, at, onOver: resolve });
      this.#ask({ type: 'restart', roles });
    });
  }

  /** Has the control plane's next start prepared; a worker's takes half a second as it is. */
  #prepare(): void {
    const packages = this.#files.packages(filesBehind(ENTRIES['control-plane'], this.#files.references));
    this.#preparedFrom = installedAt();
    this.#ask({ type: 'prepare', role: 'control-plane', packages, installed_at: this.#preparedFrom });
  }

  #ask(request: ParentRequest): void {
    this.#launcher?.send(request);
  }

  /** The launcher answers in the order in which it was asked. */
  #onAnswer(message: unknown): void {
    const asked = restartedMessage.safeParse(message).success ? this.#asked.shift() : undefined;
    if (!asked) return;
    const seconds = ((Date.now() - asked.at) / 1000).toFixed(1);
    log(`${asked.roles.join(', ')} restarted, ${seconds} s after the ${asked.cause}`);
    asked.onOver();
  }

  async #endLauncher(): Promise<void> {
    const launcher = this.#launcher;
    if (!launcher) return;
    const ended = new Promise<void>((resolve) => launcher.once('exit', () => resolve()));
    launcher.kill('SIGTERM');
    const hurry = setTimeout(() => launcher.kill('SIGTERM'), HURRY_AFTER_MS);
    await ended;
    clearTimeout(hurry);
  }
}

function main(): void {
  const [option] = process.argv.slice(2);
  if (option === '--help' || option === '-h') return void process.stdout.write(USAGE);
  if (option !== undefined) {
    process.stderr.write(`dev: there is no option “${option}”; variables configure it.\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const system = new DevelopmentSystem();
  let stopped: Promise<void> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const stop = () => {
    const now = performance.now();
    if (now - lastAt < SAME_SIGNAL_MS) return;
    lastAt = now;
    if (stopped) system.hurry();
    stopped ??= system.stop().then(() => process.exit(0));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop).once('disconnect', stop);
}

main();
