import { setTimeout as sleep } from 'node:timers/promises';
import {
  SANDBOX_CALLER_ID,
  type SimulatedBehavior,
  TEST_NUMBERS,
} from '@voice/shared/contracts/test-numbers';
import type { ReplicasClient } from '../chaos/replicas-client.js';
import { type CallStatus, isOver } from '../system/tenant.js';

/** Who is called, in turn, and how such a call ends when nothing disturbs it. */
const PEOPLE: readonly { readonly person: SimulatedBehavior; readonly ends: string }[] = [
  { person: 'talks', ends: 'COMPLETED' },
  { person: 'hangs_up', ends: 'COMPLETED' },
  { person: 'busy', ends: 'BUSY' },
];
/** A conversation takes half a minute; on a busy machine several. */
const CALL_WITHIN_MS = 240_000;
const LOOK_EVERY_MS = 1000;

export interface Counts {
  /** Calls that were accepted. */
  calls: number;
  /** Of them: how many ended as they should. */
  asTheyShould: number;
  /** Requests, and what was wrong with any of it. */
  requests: number;
  readonly problems: string[];
}

/** People who are called one after the other, as long as they are kept busy. */
export class Callers {
  readonly counts: Counts = { calls: 0, asTheyShould: 0, requests: 0, problems: [] };
  readonly #client: ReplicasClient;
  readonly #agentId: string;
  readonly #loops: Promise<void>[] = [];
  #dialed = 0;
  #stopped = false;

  constructor(client: ReplicasClient, agentId: string, calls: number) {
    this.#client = client;
    this.#agentId = agentId;
    for (let n = 0; n < calls; n++) this.#loops.push(this.#keepCalling());
    this.#loops.push(this.#keepReading());
  }

  /** Begins no more calls, and resolves when all have ended. */
  async finish(): Promise<Counts> {
    this.#stopped = true;
    await Promise.all(this.#loops);
    return this.counts;
  }

  async #keepCalling(): Promise<void> {
    while (!this.#stopped) {
      const { person, ends } = PEOPLE[this.#dialed++ % PEOPLE.length]!;
      const callId = await this.#dial(person);
      if (callId === undefined) {
        await sleep(LOOK_EVERY_MS);
        continue;
      }
      this.counts.calls += 1;
      const call = await this.#untilOver(callId);
      if (call === undefined) continue;
      if (call.status === ends) this.counts.asTheyShould += 1;
      else this.#problem(`call ${callId} to one who ${person} ended as ${call.status}, ${call.error_code}`);
    }
  }

  /** Reads, as a dashboard does, a few times a second. */
  async #keepReading(): Promise<void> {
    while (!this.#stopped) {
      await this.#ask('GET', '/api/v1/calls?limit=5');
      await sleep(200);
    }
  }

  async #dial(person: SimulatedBehavior): Promise<string | undefined> {
    const to = TEST_NUMBERS.find(({ behavior }) => behavior === person)!.number;
    const body = { agent_id: this.#agentId, from_number: SANDBOX_CALLER_ID, to_number: to };
    const answer = await this.#ask('POST', '/api/v1/calls', body);
    return answer === undefined ? undefined : String(answer.id);
  }

  async #untilOver(callId: string) {
    const deadline = performance.now() + CALL_WITHIN_MS;
    while (performance.now() < deadline) {
      await sleep(LOOK_EVERY_MS);
      const call = await this.#ask('GET', `/api/v1/calls/${callId}`);
      const status = call?.status as CallStatus | undefined;
      if (status !== undefined && isOver({ status })) return { status, error_code: String(call?.error_code) };
    }
    this.#problem(`call ${callId} did not end within ${CALL_WITHIN_MS / 1000} s`);
    return undefined;
  }

  /** Asks once, as behind a load balancer: where no replica has an answer, that is a problem. */
  async #ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown> | undefined> {
    this.counts.requests += 1;
    const once = body === undefined ? undefined : crypto.randomUUID();
    const answer = await this.#client.attempt(method, path, body, once);
    if (answer && answer.status < 300) return answer.json;
    this.#problem(
      `${method} ${path}: ${answer?.status ?? 'no replica answered'} ${JSON.stringify(answer?.json ?? '')}`,
    );
    return undefined;
  }

  #problem(text: string): void {
    this.counts.problems.push(text);
  }
}
