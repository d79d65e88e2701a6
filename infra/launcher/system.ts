import { type Exit, type ProcessSpec, type RunningProcess, startProcess } from './child-process.js';
import type { LauncherConfig } from './config.js';
import { assertPortFree, freePort } from './ports.js';
import { localUrl, type Topology } from './topology.js';

type Spawned = Pick<RunningProcess, 'spec' | 'exited' | 'signal'>;

/** The order in which all is stopped: who depends on others goes first. */
const STOP_ORDER: readonly ProcessSpec['role'][] = ['worker', 'control-plane', 'carrier', 'store'];
/** A store that hangs must not hang the launcher; workers have as long as their calls take. */
const STOP_WITHIN_MS: Readonly<Record<ProcessSpec['role'], number | undefined>> = {
  worker: undefined,
  'control-plane': 30_000,
  carrier: 10_000,
  store: 20_000,
};

export interface SystemEvents {
  /** A line that a process wrote. */
  readonly onLine: (spec: ProcessSpec, line: string) => void;
  /** A process ended that nobody had asked to. */
  readonly onLost: (spec: ProcessSpec, exit: Exit) => void;
}

/** The running processes: started in order of need, stopped in the reverse. */
export class System {
  readonly #running: RunningProcess[] = [];
  readonly #spawned = new Set<Spawned>();
  #stopping = false;

  constructor(
    private readonly config: LauncherConfig,
    private readonly topology: Topology,
    private readonly events: SystemEvents,
  ) {}

  get processes(): readonly RunningProcess[] {
    return this.#running;
  }

  /** Starts all; when one does not come up, rejects with the reason (`stop` then ends the others). */
  async start(): Promise<{ readonly apiUrl: string }> {
    const { config, topology } = this;
    if (config.port !== 0) await assertPortFree('PORT', config.port);
    if (config.workers > 0 && config.mediaPort !== 0) await assertPortFree('MEDIA_PORT', config.mediaPort);
    const port = config.port === 0 ? await freePort() : config.port;
    const [mongodbUri, carrier] = await Promise.all([
      config.mongodbUri ??
        this.#start(topology.store()).then(({ port }) => `mongodb://127.0.0.1:${port}/voice`),
      this.#start(topology.carrier()),
    ]);
    const at = { port, mongodbUri, carrierUrl: localUrl(carrier.port) };
    // One after another: the first makes the indexes that the others then find.
    const replicas: string[] = [];
    for (const number of upTo(config.replicas)) {
      replicas.push(localUrl((await this.#start(topology.controlPlane(number, at))).port));
    }
    const replicaOf = (worker: number) => replicas[(worker - 1) % replicas.length]!;
    await Promise.all(
      upTo(config.workers).map((number) =>
        this.#start(topology.worker(number, { controlPlaneUrl: replicaOf(number) })),
      ),
    );
    return { apiUrl: replicas[0]! };
  }

  /** Ends all, workers first: they take no new calls and wait for the live ones. Resolves when all have ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const role of STOP_ORDER) {
      await Promise.all([...this.#spawned].filter(({ spec }) => spec.role === role).map(stopOne));
    }
  }

  /** Hurries a stop that is under way: workers hang up their live calls at their second signal. */
  hurry(): void {
    for (const process of this.#spawned) if (process.spec.role === 'worker') process.signal('SIGTERM');
  }

  /** Ends all at once, whatever they do. */
  kill(): void {
    this.#stopping = true;
    for (const process of this.#spawned) process.signal('SIGKILL');
  }

  async #start(spec: ProcessSpec): Promise<RunningProcess> {
    if (this.#stopping) throw new Error('The start was interrupted.');
    let ready = false;
    const process = await startProcess(spec, {
      onLine: (line) => this.events.onLine(spec, line),
      onSpawned: (spawned) => {
        this.#spawned.add(spawned);
        void spawned.exited.then((exit) => {
          this.#spawned.delete(spawned);
          if (ready && !this.#stopping) this.events.onLost(spec, exit);
        });
      },
    });
    ready = true;
    this.#running.push(process);
    return process;
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

async function stopOne(process: Spawned): Promise<void> {
  process.signal('SIGTERM');
  const within = STOP_WITHIN_MS[process.spec.role];
  const timeout = within === undefined ? undefined : setTimeout(() => process.signal('SIGKILL'), within);
  await process.exited;
  clearTimeout(timeout);
}
