import { spawnSync } from 'node:child_process';

/** One end of a cable in the machine's own namespace, the other in the worker's. */
export interface Cable {
  readonly name: string;
  /** The machine's end. */
  readonly here: string;
  /** The worker's end. */
  readonly there: string;
}

/** Why no network can be made here, in words. */
export class NoNamespaces extends Error {}

function ip(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' });
  if (error) throw new NoNamespaces(`the program ip is missing (Debian: iproute2): ${error.message}`);
  if (status !== 0) throw new NoNamespaces(`ip ${args.join(' ')}: ${stderr.trim()}`);
}

/** A network namespace for a worker, with cables that can be cut one by one. Needs the rights of root. */
export class WorkerNetwork {
  readonly #name: string;
  readonly #cables: Cable[] = [];

  private constructor(name: string) {
    this.#name = name;
  }

  /** @throws NoNamespaces where the machine does not allow it */
  static create(name: string): WorkerNetwork {
    ip('netns', 'add', name);
    const network = new WorkerNetwork(name);
    try {
      network.#inside('link', 'set', 'lo', 'up');
      return network;
    } catch (error) {
      network.remove();
      throw error;
    }
  }

  /** What is put before a command to run it inside. */
  get prefix(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#name];
  }

  /** Lays a cable between 10.231.`subnet`.1 here and 10.231.`subnet`.2 there. */
  cable(subnet: number): Cable {
    const name = `${this.#name}-${subnet}`;
    const cable = { name, here: `10.231.${subnet}.1`, there: `10.231.${subnet}.2` };
    ip('link', 'add', name, 'type', 'veth', 'peer', 'name', `${name}w`, 'netns', this.#name);
    this.#cables.push(cable);
    ip('addr', 'add', `${cable.here}/30`, 'dev', name);
    ip('link', 'set', name, 'up');
    this.#inside('addr', 'add', `${cable.there}/30`, 'dev', `${name}w`);
    this.#inside('link', 'set', `${name}w`, 'up');
    return cable;
  }

  /** Nothing passes any more; connections stay open on both sides, as when a switch fails. */
  cut({ name }: Cable): void {
    ip('link', 'set', name, 'down');
  }

  mend({ name }: Cable): void {
    ip('link', 'set', name, 'up');
  }

  /** Removes it with its cables. */
  remove(): void {
    spawnSync('ip', ['netns', 'delete', this.#name]);
  }

  #inside(...args: readonly string[]): void {
    ip('-n', this.#name, ...args);
  }
}
