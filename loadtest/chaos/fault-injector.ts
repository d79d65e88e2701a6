import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault-plan.js';
import type { SystemDisk } from './system-disk.js';

interface Target {
  readonly name: string;
  readonly role: string;
  readonly pid: number;
}

export interface FaultInjectorOptions {
  /** As the launcher has them now. */
  readonly processes: () => readonly Target[];
  readonly disk: SystemDisk;
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
    const { processes, disk, notify } = this.#options;
    const alive = processes().filter(({ pid }) => signal(pid, 0));
    if (fault.kind === 'full_disk') {
      if (!disk.fill) {
        this.skipped++;
        notify(`fault ${number}: SKIPPED, no disk can be filled here`);
        return;
      }
      notify(`fault ${number}: full disk for ${fault.forMs} ms`);
      await this.#last(disk.fill(alive.map(({ pid }) => pid)), fault.forMs);
      return;
    }
    // Where it is just being started again, another one takes its place.
    const others = alive.filter(({ role }) => role !== 'carrier');
    const target = alive.find(({ name }) => name === fault.process) ?? others[number % others.length];
    if (!target || !signal(target.pid, fault.kind === 'kill' ? 'SIGKILL' : 'SIGSTOP')) {
      this.skipped++;
      notify(`fault ${number}: SKIPPED, ${target?.name ?? fault.process} is being started again`);
      return;
    }
    if (fault.kind === 'kill') {
      notify(`fault ${number}: killed ${target.name} (${target.pid})`);
      return;
    }
    notify(`fault ${number}: froze ${target.name} (${target.pid}) for ${fault.forMs} ms`);
    await this.#last(() => void signal(target.pid, 'SIGCONT'), fault.forMs);
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
