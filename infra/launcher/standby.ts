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

  /** Has one stand by, unless one does. */
  prepare(spec: ProcessSpec, packages: readonly string[]): void {
    if (this.#child) return;
    const child = spawnProcess(spec, AWAIT_GO_ARGS);
    const forget = () => {
      if (this.#child === child) this.#child = undefined;
    };
    child.once('exit', forget).once('error', forget);
    this.#child = child;
    tell(child, { type: 'load', packages: [...packages] });
  }

  /** Returns the one that stands by, on its way; undefined where none does. */
  take(): ChildProcess | undefined {
    const child = this.#child;
    if (!child?.connected) return undefined;
    this.#child = undefined;
    tell(child, { type: 'go' });
    return child;
  }

  end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}

/** One that has just ended hears nothing, and says so by its end. */
function tell(child: ChildProcess, message: StandbyMessage): void {
  child.send(message, () => undefined);
}
