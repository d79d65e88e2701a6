import type { ChildProcess } from 'node:child_process';
import { ownProcess } from '@voice/shared/process/own-process';
import { type ProcessSpec, spawnProcess } from './child-process.js';
import type { StandbyMessage } from './standby-message.js';

const { entry, execArgv } = ownProcess(import.meta.url, './await-go');
/** Options of Node that have a program wait. */
export const AWAIT_GO_ARGS = [...execArgv, '--import', entry];

/** A process that has loaded the packages it will need, none of its own code, and waits: its start takes half as long. */
export class Standby {
  #child: ChildProcess | undefined;
  #installedAt: number | undefined;

  /**
   * Has one stand by, unless one does already.
   * @param installedAt when the packages were installed, epoch ms: one that has loaded older ones is replaced
   */
  prepare(spec: ProcessSpec, packages: readonly string[], installedAt: number): void {
    if (this.#child && this.#installedAt === installedAt) return;
    this.end();
    const child = spawnProcess(spec, AWAIT_GO_ARGS);
    const forget = () => {
      if (this.#child === child) this.#child = undefined;
    };
    child.once('exit', forget).once('error', forget);
    this.#child = child;
    this.#installedAt = installedAt;
    send(child, { type: 'load', packages: [...packages] });
  }

  /** Returns the one that stands by, on its way; undefined where none does. */
  take(): ChildProcess | undefined {
    const child = this.#child;
    if (!child?.connected) return undefined;
    this.#child = undefined;
    send(child, { type: 'go' });
    return child;
  }

  end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}

/** To one that has just ended nothing is sent: its end is noticed. */
function send(child: ChildProcess, message: StandbyMessage): void {
  child.send(message, () => undefined);
}
