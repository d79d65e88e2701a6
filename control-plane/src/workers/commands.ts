import type { CallCommand } from '@voice/shared/contracts/worker';
import { derivedId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { WorkerRegistry } from './registry.js';
import type { CommandOutcome, WorkerClient } from './worker-client.js';

interface WorkerCommandsOptions {
  readonly registry: WorkerRegistry;
  readonly client: WorkerClient;
  readonly log: Log;
}

/** Sends commands to the worker that holds a call. */
export class WorkerCommands {
  readonly #options: WorkerCommandsOptions;

  constructor(options: WorkerCommandsOptions) {
    this.#options = options;
  }

  /** `occasion` names why the command is sent: the same occasion is the same command, however often. */
  async send(
    call: { readonly _id: string; readonly worker_id: string | null },
    occasion: string,
    command: CallCommand['command'],
  ): Promise<CommandOutcome> {
    if (call.worker_id === null) return 'not_held';
    const outcome = await this.#send(call.worker_id, call._id, {
      command_id: derivedId(call._id, `command:${occasion}`),
      command,
    });
    this.#options.log.info(
      { call_id: call._id, worker_id: call.worker_id, command: command.kind, outcome },
      'command to a worker',
    );
    return outcome;
  }

  /** Sends to the address that was read last; where the call is not found there, once more if the worker has another by now. */
  async #send(workerId: string, callId: string, command: CallCommand): Promise<CommandOutcome> {
    const address = await this.#options.registry.controlUrlOf(workerId);
    if (address === null) return 'unreachable';
    const outcome = await this.#options.client.command(address, callId, command);
    if (outcome !== 'unreachable' && outcome !== 'not_held') return outcome;
    this.#options.registry.forgetAddress(workerId);
    const now = await this.#options.registry.controlUrlOf(workerId);
    return now === null || now === address ? outcome : this.#options.client.command(now, callId, command);
  }
}
