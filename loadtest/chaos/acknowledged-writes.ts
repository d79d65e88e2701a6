import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteEvidence } from './audit.js';
import type { ReplicasClient } from './replicas-client.js';

/** Updates of one agent before the next is created. */
const UPDATES = 5;
const EVERY_MS = 500;

interface Written {
  readonly id: string;
  acknowledged: string;
  sentLater: string[];
}

/** Creates and changes agents all the time, and remembers what was acknowledged. */
export class AcknowledgedWrites {
  readonly #client: ReplicasClient;
  readonly #written: Written[] = [];
  #stopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(client: ReplicasClient) {
    this.#client = client;
  }

  get count(): number {
    return this.#written.length;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Reads back what was acknowledged. */
  async evidence(): Promise<WriteEvidence[]> {
    const found: WriteEvidence[] = [];
    for (const { id, acknowledged, sentLater } of this.#written) {
      const answer = await this.#client.attempt('GET', `/api/v1/agents/${id}`);
      if (!answer) throw new Error(`The agent ${id} cannot be read.`);
      const name = answer.status === 200 ? String(answer.json.name) : null;
      found.push({ id, acknowledged, sentLater, found: name });
    }
    return found;
  }

  async #run(): Promise<void> {
    for (let number = 0; !this.#stopped; number++) {
      const current = this.#written.at(-1);
      const name = `write ${number}`;
      if (!current || number % UPDATES === 0) {
        const body = { name, system_prompt: 'You talk.' };
        const answer = await this.#client.attempt('POST', '/api/v1/agents', body, randomUUID());
        if (answer?.status === 201) {
          this.#written.push({ id: String(answer.json.id), acknowledged: name, sentLater: [] });
        }
      } else {
        current.sentLater.push(name);
        const answer = await this.#client.attempt('PATCH', `/api/v1/agents/${current.id}`, { name });
        // What was sent before it and got no answer may still be on its way; what is acknowledged stands after it.
        if (answer?.status === 200) current.acknowledged = name;
      }
      await sleep(EVERY_MS);
    }
  }
}
