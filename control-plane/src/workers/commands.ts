import type { CallCommand } from '@voice/shared/contracts/worker';
import { derivedId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { WorkerRegistry } from './registry.js';
import type { CommandOutcome, WorkerClient } from './worker-client.js';

/** Sends commands to the worker that holds a call. */
export class WorkerCommands {
  readonly #registry: WorkerRegistry;
  readonly #client: WorkerClient;
  readonly #log: Log;

  constructor(options: {
    readonly registry: WorkerRegistry;
    readonly client: WorkerClient;
    readonly log: Log;
  }) {
    this.#registry = options.registry;
    this.#client = options.client;
    this.#log = options.log;
  }

  /** `occasion` names why the command is sent: the same occasion is the same command, however often. */
  async send(
    call: { readonly _id: string; readonly worker_id: string | null },
    occasion: string,
    command: CallCommand['command'],
  ): Promise<CommandOutcome> {
    if (call.worker_id === null) return 'not_held';
    const worker = await this.#registry.find(call.worker_id);
    const outcome = worker
      ? await this.#client.command(worker.control_url, call._id, {
          command_id: derivedId(call._id, `command:${occasion}`),
          command,
        })
      : 'unreachable';
    this.#log.info(
      { call_id: call._id, worker_id: call.worker_id, command: command.kind, outcome },
      'command to a worker',
    );
    return outcome;
  }
}
