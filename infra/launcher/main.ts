import { fileURLToPath } from 'node:url';
import { createLoginLink } from '../cli/api-client.js';
import { banner, USAGE } from './banner.js';
import { type LauncherConfig, readConfig } from './config.js';
import { prepareDataDir } from './data-dir.js';
import { lockDataDir } from './data-lock.js';
import { keepSecrets } from './kept-secrets.js';
import { endLeftovers } from './leftovers.js';
import { humanLine } from './log-lines.js';
import { readRuntime, removeRuntime, writeRuntime } from './runtime-file.js';
import { System } from './system.js';
import { Topology } from './topology.js';

/** A terminal's Ctrl-C arrives from the terminal and again from each program above us. */
const SAME_SIGNAL_MS = 1000;
/** Without them nothing can go on; a lost worker or carrier leaves the rest running. */
const ESSENTIAL = new Set(['store', 'control-plane']);
const root = fileURLToPath(new URL('../../../', import.meta.url));

const tell = (line: string) => void process.stderr.write(`launcher: ${line}\n`);

async function main(): Promise<number> {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    process.stdout.write(USAGE);
    return 0;
  }
  const config = readConfig();
  prepareDataDir(config.dataDir);
  const lock = lockDataDir(config.dataDir);
  if (!lock) {
    const holder = readRuntime(config.dataDir);
    throw new Error(
      `Another launcher${holder ? ` (process ${holder.pid}, ${holder.public_url})` : ''} runs on DATA_DIR ${config.dataDir}. Stop it, or give this one a directory of its own: DATA_DIR=./data-2 PORT=0 MEDIA_PORT=0 npm start.`,
    );
  }
  try {
    await endLeftovers(config.dataDir, tell);
    return await runSystem(config);
  } finally {
    lock.free();
  }
}

/** Runs the system until it is told to stop or loses what it cannot do without; the exit code. */
async function runSystem(config: LauncherConfig): Promise<number> {
  const topology = new Topology(root, config, keepSecrets(config.dataDir));
  let end: (exitCode: number) => void = () => {};
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const system = new System(config, topology, {
    onLine: printer(config),
    onLost: (spec, { code, signal }) => {
      tell(`!!! ${spec.name} ended unexpectedly (${signal ?? `exit code ${code}`}).`);
      if (!ESSENTIAL.has(spec.role)) {
        tell('!!! It is not restarted; the rest goes on. Stop and start again to have it back.');
        return;
      }
      tell(`!!! Nothing works without the ${spec.name}: stopping everything.`);
      end(1);
    },
  });
  listenForStop(system, () => end(0));

  const loginUrl = async (apiUrl: string) => {
    try {
      return (await createLoginLink({ apiUrl, internalSecret: topology.internalSecret }, {})).url;
    } catch (error) {
      tell(`no login link: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const started = system.start().then(async ({ apiUrl }) => {
    writeRuntime(config.dataDir, {
      pid: process.pid,
      started_at: new Date().toISOString(),
      public_url: config.publicUrl ?? apiUrl,
      api_url: apiUrl,
      processes: system.processes.map(({ spec, pid, birth, port }) => ({
        name: spec.name,
        role: spec.role,
        pid,
        birth,
        port,
      })),
    });
    process.stdout.write(banner(config, system.processes, apiUrl, await loginUrl(apiUrl)));
    process.send?.({ type: 'ready', port: Number(new URL(apiUrl).port) });
  });
  const failed = started.then(
    () => ended,
    (error: unknown) => error,
  );
  const outcome = await Promise.race([ended, failed]);
  await system.stop();
  removeRuntime(config.dataDir);
  if (typeof outcome !== 'number') throw outcome;
  tell('all stopped.');
  return outcome;
}

/** The first signal drains and stops, a second one hangs up the live calls, a third one ends everything at once. */
function listenForStop(system: System, stop: () => void): void {
  let signals = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  const onSignal = () => {
    const now = performance.now();
    if (now - lastAt < SAME_SIGNAL_MS) return;
    lastAt = now;
    signals += 1;
    if (signals === 1) {
      tell('stopping: live calls may finish, new ones are refused. Once more hangs up.');
      stop();
    } else if (signals === 2) {
      tell('hanging up all live calls. Once more ends everything at once.');
      system.hurry();
    } else {
      tell('ending everything at once.');
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
    tell(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
