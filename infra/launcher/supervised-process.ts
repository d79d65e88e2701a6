import type { Clock, Timer } from '@voice/shared/clock/clock';
import { freePort } from '@voice/shared/listen/free-port';
import { type Exit, type ProcessSpec, type RunningProcess, startProcess } from './child-process.js';
import { RestartPolicy } from './restart-policy.js';
import { Standby } from './standby.js';
import { atPorts, type Ports, portsOf } from './topology.js';

type Spawned = Pick<RunningProcess, 'spec' | 'exited' | 'signal'>;

export interface SupervisionEvents {
  /** A line that the process wrote. */
  readonly onLine: (spec: ProcessSpec, line: string) => void;
  /** It ended unasked, and is started again after so many ms. */
  readonly onDied: (spec: ProcessSpec, how: string, restartInMs: number) => void;
  /** It serves again. */
  readonly onRestarted: (process: RunningProcess) => void;
  /** It ended so often that it is left alone. */
  readonly onGivenUp: (spec: ProcessSpec, how: string) => void;
}

export interface SupervisedProcessOptions {
  readonly spec: ProcessSpec;
  readonly clock: Clock;
  readonly events: SupervisionEvents;
  /** Resolves when what the process needs is there; waited for before each further start. */
  readonly needs?: () => Promise<unknown>;
}

/** One process of the system, started again at its port whenever it ends unasked. */
export class SupervisedProcess {
  readonly spec: ProcessSpec;
  readonly #options: SupervisedProcessOptions;
  readonly #policy = new RestartPolicy();
  readonly #standby = new Standby();
  #spawned: Spawned | undefined;
  /** What was asked to end: a worker takes a second request for haste, and hangs up. */
  #ending: Spawned | undefined;
  #running: RunningProcess | undefined;
  #restart: Timer | undefined;
  #whenUp: (() => void)[] = [];
  #stopping = false;
  #givenUp = false;
  /** The ports at which it served last. */
  #ports: Ports | undefined;
  /** Counts restarts that were asked for: the end of a run from before one is no crash. */
  #generation = 0;

  constructor(options: SupervisedProcessOptions) {
    this.spec = options.spec;
    this.#options = options;
  }

  /** As it runs now; undefined while it does not. */
  get running(): RunningProcess | undefined {
    return this.#running;
  }

  get givenUp(): boolean {
    return this.#givenUp;
  }

  /** Starts it for the first time; rejects with the process's last words when it does not come up. */
  async start(): Promise<RunningProcess> {
    const { port, internalPort } = portsOf(this.spec);
    // It comes back at them, and meanwhile nobody else may be given one.
    const ports = {
      port: port || (await freePort()),
      internalPort: internalPort === 0 ? await freePort() : internalPort,
    };
    return this.#start(atPorts(this.spec, ports));
  }

  /** Resolves while it runs, else when it does again or never will. */
  async up(): Promise<void> {
    if (this.#running || this.#givenUp || this.#stopping) return;
    await new Promise<void>((resolve) => this.#whenUp.push(resolve));
  }

  signal(name: NodeJS.Signals): void {
    this.#spawned?.signal(name);
  }

  /**
   * Ends it and starts it anew at its ports, also where it was left alone: an end that was asked for is no crash.
   * Resolves when it serves again or has ended. Does nothing before it has served for the first time.
   * @param withinMs after how long it is made to end; undefined waits for as long as it takes
   */
  async restart(withinMs: number | undefined): Promise<void> {
    const ports = this.#ports;
    if (this.#stopping || !ports) return;
    this.#generation += 1;
    this.#restart?.cancel();
    this.#running = undefined;
    await this.#end(withinMs);
    this.#givenUp = false;
    await this.#startAgain(ports);
  }

  /**
   * Has its next start prepared: a process that has loaded these packages. Does nothing before it has served.
   * @param installedAt when the packages were installed, epoch ms
   */
  prepare(packages: readonly string[], installedAt: number): void {
    if (this.#stopping || !this.#ports) return;
    this.#standby.prepare(atPorts(this.spec, this.#ports), packages, installedAt);
  }

  /** Ends the supervision: it is not started again. */
  retire(): void {
    this.#stopping = true;
    this.#standby.end();
    this.#restart?.cancel();
    this.#settleUp();
  }

  /** Asks it to end, insists after `withinMs`; undefined waits for as long as it takes. */
  async stop(withinMs: number | undefined): Promise<void> {
    this.retire();
    await this.#end(withinMs);
  }

  async #end(withinMs: number | undefined): Promise<void> {
    const spawned = this.#spawned;
    if (!spawned) return;
    if (this.#ending !== spawned) spawned.signal('SIGTERM');
    this.#ending = spawned;
    const insist =
      withinMs === undefined
        ? undefined
        : this.#options.clock.schedule(withinMs, () => spawned.signal('SIGKILL'));
    await spawned.exited;
    insist?.cancel();
  }

  async #start(spec: ProcessSpec): Promise<RunningProcess> {
    if (this.#stopping) throw new Error('The start was interrupted.');
    let serves = false;
    const generation = this.#generation;
    const process = await startProcess(
      spec,
      {
        onLine: (line) => this.#options.events.onLine(this.spec, line),
        onSpawned: (spawned) => {
          this.#spawned = spawned;
          void spawned.exited.then((exit) => {
            if (this.#spawned === spawned) this.#spawned = undefined;
            if (!serves || generation !== this.#generation) return;
            this.#running = undefined;
            this.#onEnd(exitText(exit), process);
          });
        },
      },
      this.#standby.take(),
    );
    serves = true;
    this.#running = process;
    this.#ports = process;
    this.#settleUp();
    return process;
  }

  #onEnd(how: string, before: Ports): void {
    if (this.#stopping) return;
    const { clock, events } = this.#options;
    const delayMs = this.#policy.afterEnd(clock.monotonic());
    if (delayMs === undefined) {
      this.#givenUp = true;
      this.#settleUp();
      events.onGivenUp(this.spec, how);
      return;
    }
    events.onDied(this.spec, how, delayMs);
    this.#restart = clock.schedule(delayMs, () => void this.#startAgain(before));
  }

  /** Starts it at its ports once what it needs is there; a start that fails is an end like any other. */
  async #startAgain(ports: Ports): Promise<void> {
    const generation = this.#generation;
    const { events, needs } = this.#options;
    try {
      await needs?.();
      // Meanwhile it was asked to restart: that start is the one.
      if (generation !== this.#generation) return;
      events.onRestarted(await this.#start(atPorts(this.spec, ports)));
    } catch (error) {
      if (generation !== this.#generation) return;
      this.#onEnd(error instanceof Error ? error.message : String(error), ports);
    }
  }

  #settleUp(): void {
    const waiting = this.#whenUp;
    this.#whenUp = [];
    for (const resolve of waiting) resolve();
  }
}

const exitText = ({ code, signal }: Exit): string => signal ?? `exit code ${code}`;
