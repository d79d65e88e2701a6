import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLoginLink, type LoginPage } from '../installation/api-client.js';
import { keepSecrets } from '../installation/kept-secrets.js';
import { type RuntimeFile, readRuntime, removeRuntime, writeRuntime } from '../installation/runtime-file.js';
import { banner, USAGE } from './banner.js';
import { opensBrowser } from './browser-decision.js';
import { checkEnvironment } from './check-environment.js';
import { type LauncherConfig, readConfig } from './config.js';
import { prepareDataDir } from './data-dir.js';
import { lockDataDir } from './data-lock.js';
import { endLeftovers } from './leftovers.js';
import { humanLine } from './log-lines.js';
import { loginLinks } from './login-links.js';
import { startMediasoupBuild } from './mediasoup-build.js';
import { openLink } from './open-browser.js';
import { serveParentRequests } from './parent-requests.js';
import { System } from './system.js';
import { Topology } from './topology.js';
import { workerRoom } from './worker-room.js';

/** A terminal's Ctrl-C arrives from the terminal and again from each program above us. */
const SAME_SIGNAL_MS = 1000;
const root = fileURLToPath(new URL('../../../', import.meta.url));

// A log that lies on a full disk takes nobody with it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const notify = (line: string) => void process.stderr.write(`launcher: ${line}\n`);

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (args.length > 0) {
    process.stderr.write(`launcher: there is no option “${args[0]}”; variables configure it.\n\n${USAGE}`);
    return 2;
  }
  const config = readConfig();
  prepareDataDir(config.dataDir);
  const lock = lockDataDir(config.dataDir);
  if (!lock) {
    const holder = readRuntime(config.dataDir);
    throw new Error(
      `Another launcher${holder ? ` (process ${holder.pid}, ${holder.public_url})` : ''} runs on DATA_DIR ${config.dataDir}. Stop it, or give this one a directory of its own: DATA_DIR=./data-2 PORT=0 INTERNAL_PORT=0 MEDIA_PORT=0 npm start.`,
    );
  }
  try {
    await endLeftovers(config.dataDir, notify);
    return await runSystem(config);
  } finally {
    lock.free();
  }
}

/** Runs the system until it is asked to stop or loses what it cannot do without; the exit code. */
async function runSystem(config: LauncherConfig): Promise<number> {
  const topology = new Topology({ root, config, secrets: keepSecrets(config.dataDir) });
  await checkEnvironment(root, topology);
  let end: (exitCode: number) => void = () => {};
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const system = new System({
    config,
    topology,
    events: {
      onLine: printer(config),
      onDied: (spec, how, restartInMs) => {
        const waiting = restartInMs < 1000 ? '' : ` in ${(restartInMs / 1000).toFixed(1)} s`;
        notify(`!!! ${spec.name} ended unexpectedly (${how}); it is started again${waiting}.`);
        rememberProcesses();
      },
      onRestarted: ({ spec, pid }) => {
        notify(`${spec.name} runs again (process ${pid}).`);
        rememberProcesses();
      },
      onGivenUp: (spec, how) => {
        notify(`!!! ${spec.name} ended ten times within a minute, the last time by: ${how}`);
        if (!system.isLost) {
          notify('!!! It is not started again; the rest goes on. Mend the cause, then stop and start again.');
          return;
        }
        notify(`!!! Nothing works without the ${spec.name}: stopping everything.`);
        end(1);
      },
    },
  });
  let addresses: { readonly apiUrl: string; readonly internalUrl: string } | undefined;
  const startedAt = new Date().toISOString();
  let lastRestart: RuntimeFile['last_restart'];
  /** Writes the runtime file, for the command-line tools and for a launcher that finds what this one left. */
  const rememberProcesses = () => {
    if (!addresses) return;
    const { apiUrl, internalUrl } = addresses;
    try {
      writeRuntime(config.dataDir, {
        pid: process.pid,
        started_at: startedAt,
        public_url: config.publicUrl ?? apiUrl,
        api_url: apiUrl,
        internal_url: internalUrl,
        processes: system.processes.map(({ spec, pid, birth, port }) => ({
          name: spec.name,
          role: spec.role,
          pid,
          birth,
          port,
        })),
        last_restart: lastRestart,
      });
    } catch (error) {
      notify(`${config.dataDir}/runtime.json could not be written: ${String(error)}`);
    }
  };
  listenForStop(system, () => end(0));

  let build: ReturnType<typeof startMediasoupBuild>;
  const started = system.start().then(async (at) => {
    addresses = at;
    const { apiUrl, internalUrl } = at;
    rememberProcesses();
    const access = { internalUrl, internalSecret: topology.internalSecret };
    let wasSignedIn = false;
    const loginLink = async (page: LoginPage): Promise<string> => {
      const made = await createLoginLink(access, { page });
      wasSignedIn = made.signed_in_before;
      return made.url;
    };
    const links = await loginLinks({
      isTerminal: config.isTerminal,
      create: loginLink,
      onError: notify,
    });
    const room = await workerRoom(apiUrl, config.workers);
    process.stdout.write(banner(config, system.processes, { apiUrl, internalUrl, links, room }));
    await openFirstTime(config, wasSignedIn, () => loginLink('dashboard'));
    serveParentRequests(process, system);
    listenForRollingRestart(system, (failure) => {
      lastRestart = { ended_at: new Date().toISOString(), failure };
      rememberProcesses();
    });
    process.send?.({ type: 'ready', port: Number(new URL(apiUrl).port) });
    if (config.buildsMediasoup) {
      const entry = join(root, 'infra/dist/mediasoup-worker/main.js');
      build = startMediasoupBuild({ entry, env: config.inherited, onLine: notify });
    }
  });
  const failed = started.then(
    () => ended,
    (error: unknown) => error,
  );
  const outcome = await Promise.race([ended, failed]);
  await Promise.all([system.stop(), build?.stop()]);
  removeRuntime(config.dataDir);
  if (typeof outcome !== 'number') throw outcome;
  notify('all stopped.');
  return outcome;
}

/** Opens the dashboard for who has just installed it. What is printed signs in as well: this link is one of its own. */
async function openFirstTime(
  { isTerminal, browser, dataDir }: LauncherConfig,
  wasSignedIn: boolean,
  createLink: () => Promise<string>,
): Promise<void> {
  const { opener } = browser;
  if (opener === undefined) return;
  if (!opensBrowser({ ...browser, isTerminal, hasOpener: true, wasSignedIn })) return;
  try {
    openLink(opener, dataDir, await createLink());
    notify('the dashboard opens in your browser (OPEN_BROWSER=false: it does not).');
  } catch (error) {
    notify(`no browser was opened: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Handles signals: the first drains and stops, a second hangs up the live calls, a third ends everything at once. */
function listenForStop(system: System, stop: () => void): void {
  let signals = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  const onSignal = () => {
    const now = performance.now();
    if (now - lastAt < SAME_SIGNAL_MS) return;
    lastAt = now;
    signals += 1;
    if (signals === 1) {
      notify('stopping: live calls may finish, new ones are refused. Once more hangs up.');
      stop();
    } else if (signals === 2) {
      notify('hanging up all live calls. Once more ends everything at once.');
      system.hurry();
    } else {
      notify('ending everything at once.');
      system.kill();
    }
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);
  process.once('disconnect', () => {
    onSignal();
    // Nobody is left who could ask again.
    setTimeout(() => system.hurry(), SAME_SIGNAL_MS).unref();
  });
}

/** Handles SIGUSR2: replaces the planes' processes one after another. One at a time; a signal meanwhile is one too many. */
function listenForRollingRestart(system: System, onEnd: (failure: string | null) => void): void {
  let isUnderWay = false;
  process.on('SIGUSR2', () => {
    if (isUnderWay) return;
    isUnderWay = true;
    notify('restarting the workers, then the control planes, one after another; live calls may finish.');
    const ended = (failure: string | null) => {
      isUnderWay = false;
      notify(failure === null ? 'all workers and control planes are restarted.' : `!!! ${failure}`);
      onEnd(failure);
    };
    system.rollingRestart().then(
      () => ended(null),
      (error: unknown) => ended(error instanceof Error ? error.message : String(error)),
    );
  });
}

function printer(config: LauncherConfig): (spec: { name: string }, line: string) => void {
  if (config.logFormat === 'json') return (_spec, line) => void process.stdout.write(`${line}\n`);
  const names: string[] = [];
  return ({ name }, line) => {
    if (!names.includes(name)) names.push(name);
    const style = { prefix: name.padEnd(13), index: names.indexOf(name), colour: config.colour };
    const shown = humanLine(line, style);
    if (shown !== undefined) process.stdout.write(`${shown}\n`);
  };
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    notify(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
