import { setTimeout as sleep } from 'node:timers/promises';
import { cutConnections } from './connections.js';
import type { Fault } from './fault-plan.js';
import { slowDown } from './slow-disk.js';
import type { SystemDisk } from './system-disk.js';

interface Target {
  readonly name: string;
  readonly role: string;
  readonly pid: number;
  readonly port: number;
}

export interface FailingProvider {
  /** Begins an outage and returns what ends it; undefined where there is one already. */
  fail(how: 'refuses' | 'is mute'): (() => void) | undefined;
}

export interface FaultInjectorOptions {
  /** As the launcher has them now. */
  readonly processes: () => readonly Target[];
  readonly disk: SystemDisk;
  readonly provider: (name: string) => FailingProvider | undefined;
  readonly notify: (line: string) => void;
}

/** Does to the system's processes what a plan says; each is named by its pid of the moment. */
export class FaultInjector {
  readonly #options: FaultInjectorOptions;
  readonly #undo = new Set<() => void>();
  /** Faults that could not be made, such as on a process that was just being started again. */
  skipped = 0;

  constructor(options: FaultInjectorOptions) {
    this.#options = options;
  }

  async run(plan: readonly Fault[]): Promise<void> {
    const startedAt = performance.now();
    const lasting: Promise<void>[] = [];
    for (const [number, fault] of plan.entries()) {
      await sleep(Math.max(0, fault.atMs - (performance.now() - startedAt)));
      lasting.push(this.#make(fault, number + 1));
    }
    await Promise.all(lasting);
  }

  /** Takes back whatever lasts still. */
  undoAll(): void {
    for (const undo of [...this.#undo]) undo();
  }

  async #make(fault: Fault, number: number): Promise<void> {
    const { processes, disk, provider } = this.#options;
    const alive = processes().filter(({ pid }) => signal(pid, 0));
    const others = alive.filter(({ role }) => role !== 'carrier');
    switch (fault.kind) {
      case 'full_disk': {
        if (!disk.fill) return this.#skip(number, 'no disk can be filled here');
        this.#say(number, `full disk for ${fault.forMs} ms`);
        return this.#last(disk.fill(alive.map(({ pid }) => pid)), fault.forMs);
      }
      case 'slow_disk':
        this.#say(number, `slow disk for ${fault.forMs} ms`);
        return this.#last(slowDown(others.map(({ pid }) => pid)), fault.forMs);
      case 'provider_outage': {
        const end = provider(fault.provider)?.fail(fault.how);
        if (!end) return this.#skip(number, `${fault.provider} has an outage already`);
        this.#say(number, `${fault.provider} ${fault.how} for ${fault.forMs} ms`);
        return this.#last(end, fault.forMs);
      }
    }
    // Where it is just being started again, another one takes its place.
    const target = alive.find(({ name }) => name === fault.process) ?? others[number % others.length];
    const again = `${target?.name ?? fault.process} is being started again`;
    switch (fault.kind) {
      case 'cut_connections':
        if (!target || !cutConnections(target.port)) {
          return this.#skip(number, 'connections cannot be cut here (it takes root and `ss -K`)');
        }
        return this.#say(number, `cut the connections of ${target.name}`);
      case 'kill':
        if (!target || !signal(target.pid, 'SIGKILL')) return this.#skip(number, again);
        return this.#say(number, `killed ${target.name} (${target.pid})`);
      case 'freeze': {
        if (!target || !signal(target.pid, 'SIGSTOP')) return this.#skip(number, again);
        const { name, pid } = target;
        this.#say(number, `froze ${name} (${pid}) for ${fault.forMs} ms`);
        return this.#last(() => void signal(pid, 'SIGCONT'), fault.forMs);
      }
    }
  }

  #say(number: number, what: string): void {
    this.#options.notify(`fault ${number}: ${what}`);
  }

  #skip(number: number, why: string): void {
    this.skipped++;
    this.#say(number, `SKIPPED, ${why}`);
  }

  async #last(undo: () => void, forMs: number): Promise<void> {
    const once = () => {
      if (this.#undo.delete(once)) undo();
    };
    this.#undo.add(once);
    await sleep(forMs);
    once();
  }
}

/** Sends a signal; 0 only checks whether there is such a process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
