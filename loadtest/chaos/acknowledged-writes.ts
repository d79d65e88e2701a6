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
  unacknowledged: string[];
}

/** Creates and changes agents all the time, and remembers what was acknowledged. */
export class AcknowledgedWrites {
  readonly #client: Pick<ReplicasClient, 'attempt'>;
  readonly #written: Written[] = [];
  #number = 0;
  #stopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(client: Pick<ReplicasClient, 'attempt'>) {
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
    for (const { id, acknowledged, unacknowledged } of this.#written) {
      const answer = await this.#client.attempt('GET', `/api/v1/agents/${id}`);
      if (!answer) throw new Error(`The agent ${id} cannot be read.`);
      const name = answer.status === 200 ? String(answer.json.name) : null;
      found.push({ id, acknowledged, unacknowledged, found: name });
    }
    return found;
  }

  /** Creates an agent or renames the last one, and remembers whether that was acknowledged. */
  async writeNext(): Promise<void> {
    const number = this.#number++;
    const current = this.#written.at(-1);
    const name = `write ${number}`;
    if (!current || number % UPDATES === 0) {
      const body = { name, system_prompt: 'You talk.' };
      const answer = await this.#client.attempt('POST', '/api/v1/agents', body, randomUUID());
      if (answer?.status === 201) {
        this.#written.push({ id: String(answer.json.id), acknowledged: name, unacknowledged: [] });
      }
      return;
    }
    current.unacknowledged.push(name);
    // By its key a copy that a thawed replica still holds is answered as the other was, and not written once more.
    const answer = await this.#client.attempt(
      'PATCH',
      `/api/v1/agents/${current.id}`,
      { name },
      randomUUID(),
    );
    if (answer?.status !== 200) return;
    current.acknowledged = name;
    // What was sent before it and got no answer stays: it may still be on its way.
    current.unacknowledged = current.unacknowledged.filter((sent) => sent !== name);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.writeNext();
      await sleep(EVERY_MS);
    }
  }
}
