import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { CommandEvidence } from './audit.js';
import type { ReplicasClient } from './replicas-client.js';

const EVERY_MS = 2500;
/** One command in so many hangs up; the others whisper. */
const HANGS_UP_ONE_IN = 6;

const live = z.object({ calls: z.array(z.object({ id: z.string() })) });
const accepted = z.object({ action_id: z.string() });
const rows = z.object({
  operator_actions: z.array(z.object({ id: z.string(), action: z.string(), created_at: z.string() })),
});

interface Command {
  readonly callId: string;
  readonly action: 'whisper' | 'hangup';
  /** Of the row, where the answer names it. */
  readonly actionId: string | undefined;
}

/** An operator who whispers to live calls and hangs some up, and remembers what was acknowledged. */
export class OperatorCommands {
  readonly #acknowledged: Command[] = [];
  #stopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly client: ReplicasClient) {}

  get count(): number {
    return this.#acknowledged.length;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Reads the audit log of each call that a command was acknowledged for. */
  async evidence(): Promise<CommandEvidence[]> {
    const found: CommandEvidence[] = [];
    for (const { callId, action, actionId } of this.#acknowledged) {
      const answer = await this.client.request('GET', `/api/v1/calls/${callId}/operator-actions`);
      const { operator_actions: actions } = rows.parse(answer);
      found.push({
        callId,
        action,
        isAudited: actions.some((row) => row.action === action && (actionId ?? row.id) === row.id),
      });
    }
    return found;
  }

  async #run(): Promise<void> {
    for (let number = 1; !this.#stopped; number++) {
      await sleep(EVERY_MS);
      const answer = await this.client.attempt('GET', '/api/v1/calls?status=IN_PROGRESS&limit=20');
      const calls = live.safeParse(answer?.json).data?.calls ?? [];
      const call = calls[number % Math.max(1, calls.length)];
      if (call) await this.#command(call.id, number % HANGS_UP_ONE_IN === 0 ? 'hangup' : 'whisper');
    }
  }

  async #command(callId: string, action: Command['action']): Promise<void> {
    const body = action === 'whisper' ? { text: 'The caller is a regular.' } : {};
    const path = `/api/v1/calls/${callId}/${action}`;
    const answer = await this.client.attempt('POST', path, body, randomUUID());
    if (answer?.status !== 202 || answer.json.status === 'already_ended') return;
    this.#acknowledged.push({ callId, action, actionId: accepted.safeParse(answer.json).data?.action_id });
  }
}
