import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { runningStoreUri } from '@voice/shared/embedded-store/access';
import { freePort } from '@voice/shared/listen/free-port';
import { urlAt } from '@voice/shared/listen/url';
import type { ProcessSpec, RunningProcess } from './child-process.js';
import type { LauncherConfig } from './config.js';
import { diskRoom } from './disk-room.js';
import { assertPortFree } from './ports.js';
import { SupervisedProcess, type SupervisionEvents } from './supervised-process.js';
import { localUrl, type Topology } from './topology.js';

/** The order in which all is stopped: who depends on others goes first. */
const STOP_ORDER: readonly ProcessSpec['role'][] = ['worker', 'control-plane', 'carrier', 'store'];
/** A store that hangs must not hang the launcher; workers have as long as their calls take. */
const STOP_WITHIN_MS: Readonly<Record<ProcessSpec['role'], number | undefined>> = {
  worker: undefined,
  'control-plane': 30_000,
  carrier: 10_000,
  store: 20_000,
};

/** The order in which the planes are replaced; store and carrier hold no code that changes between two releases. */
const ROLLING_ORDER: readonly ProcessSpec['role'][] = ['worker', 'control-plane'];

/** A restart that was asked for waits for nobody: live calls of a development system are hung up. */
const RESTART_WITHIN_MS = 1000;

export interface SystemOptions {
  readonly config: LauncherConfig;
  readonly topology: Topology;
  readonly events: SupervisionEvents;
  readonly clock?: Clock;
}

/** The processes: started in order of need, started again when they end unasked, stopped in the reverse order. */
export class System {
  readonly #options: SystemOptions;
  readonly #clock: Clock;
  readonly #supervised: SupervisedProcess[] = [];
  #stopping = false;

  constructor(options: SystemOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Those that run now, in the order of their first starts. */
  get processes(): readonly RunningProcess[] {
    return this.#supervised.flatMap(({ running }) => running ?? []);
  }

  /** Whether nothing can go on: the store, or every control plane, ended too often to be started again. */
  get isLost(): boolean {
    const all = (role: ProcessSpec['role']) => this.#supervised.filter(({ spec }) => spec.role === role);
    const planes = all('control-plane');
    return (
      all('store').some(({ givenUp }) => givenUp) ||
      (planes.length > 0 && planes.every(({ givenUp }) => givenUp))
    );
  }

  /** Starts all; when one does not come up, rejects with the reason (`stop` then ends the others). */
  async start(): Promise<{ readonly apiUrl: string; readonly internalUrl: string }> {
    const { config, topology } = this.#options;
    const { host, internal } = config;
    if (config.port !== 0) await assertPortFree('PORT', config.port, host);
    if (internal.port !== 0) await assertPortFree('INTERNAL_PORT', internal.port, internal.host);
    if (config.mediaPort !== 0) await assertPortFree('MEDIA_PORT', config.mediaPort);
    const store = config.mongodbUri ? undefined : this.#supervise(topology.store());
    const [mongodbUri, carrier] = await Promise.all([
      config.mongodbUri ??
        store!
          .start()
          .then(({ port }) => runningStoreUri({ port, dataDir: topology.storeDir, database: 'voice' })),
      this.#supervise(topology.carrier()).start(),
    ]);
    const port = config.port === 0 ? await freePort() : config.port;
    const at = { port, mongodbUri, carrierUrl: localUrl(carrier.port) };
    const storeIsUp = async () => store?.up();
    // One after another: the first makes the indexes that the others then find.
    const replicas: { readonly apiUrl: string; readonly internalUrl: string }[] = [];
    for (const number of upTo(config.replicas)) {
      const replica = await this.#supervise(topology.controlPlane(number, at), storeIsUp).start();
      replicas.push({
        apiUrl: urlAt({ host, port: replica.port }),
        internalUrl: urlAt({ host: internal.host, port: internalPortOf(replica) }),
      });
    }
    await Promise.all(
      upTo(config.workers).map((number) => {
        const urls = rotated(replicas, number - 1).map(({ internalUrl }) => internalUrl);
        return this.#supervise(topology.worker(number, { controlPlaneUrl: urls.join(',') })).start();
      }),
    );
    return replicas[0]!;
  }

  /** Ends all, workers first: they take no new calls and wait for the live ones. Resolves when all have ended. */
  async stop(): Promise<void> {
    this.#retire();
    for (const role of STOP_ORDER) {
      const those = this.#supervised.filter(({ spec }) => spec.role === role);
      await Promise.all(those.map((process) => process.stop(STOP_WITHIN_MS[role])));
    }
  }

  /** Ends the processes of a role and starts them anew at their ports; resolves when they serve again. */
  async restart(role: ProcessSpec['role']): Promise<void> {
    const those = this.#supervised.filter(({ spec }) => spec.role === role);
    await Promise.all(those.map((process) => process.restart(RESTART_WITHIN_MS)));
  }

  /** Has the next start of the processes of a role prepared: see `SupervisedProcess.prepare`. */
  prepare(role: ProcessSpec['role'], packages: readonly string[], installedAt: number): void {
    const those = this.#supervised.filter(({ spec }) => spec.role === role);
    for (const process of those) process.prepare(packages, installedAt);
  }

  /**
   * Replaces the processes of the planes one after another, workers first: each takes no new calls, and its live ones
   * finish. Resolves when all serve again. Rejects where one does not come up: those that are left serve on as they
   * are, since what broke the one would break them.
   */
  async rollingRestart(): Promise<void> {
    for (const role of ROLLING_ORDER) {
      const those = this.#supervised.filter(({ spec }) => spec.role === role);
      for (const process of those) {
        await process.restart(STOP_WITHIN_MS[role]);
        await process.up();
        if (process.givenUp) {
          throw new Error(
            `${process.spec.name} does not come up again. What was not replaced yet goes on as it was: mend the cause, then run “npm run restart” once more.`,
          );
        }
      }
    }
  }

  /** Hurries a stop that is under way: workers hang up their live calls at their second signal. */
  hurry(): void {
    for (const process of this.#supervised) if (process.spec.role === 'worker') process.signal('SIGTERM');
  }

  /** Ends all at once, whatever they do. */
  kill(): void {
    this.#retire();
    for (const process of this.#supervised) process.signal('SIGKILL');
  }

  #retire(): void {
    this.#stopping = true;
    for (const process of this.#supervised) process.retire();
  }

  #supervise(spec: ProcessSpec, needs?: () => Promise<unknown>): SupervisedProcess {
    if (this.#stopping) throw new Error('The start was interrupted.');
    const process = new SupervisedProcess({
      spec,
      clock: this.#clock,
      events: this.#options.events,
      needs: async () => {
        await diskRoom({ dir: this.#options.config.dataDir, clock: this.#clock });
        await needs?.();
      },
    });
    this.#supervised.push(process);
    return process;
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

function internalPortOf({ spec, internalPort }: RunningProcess): number {
  if (internalPort === undefined) throw new Error(`The ${spec.name} does not name its internal port.`);
  return internalPort;
}

/** Returns the same list, begun at another place, so that each worker begins with another replica. */
function rotated<T>(list: readonly T[], by: number): T[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}
