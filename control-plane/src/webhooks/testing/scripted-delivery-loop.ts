import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { DeliveryLoop } from '../deliveries/delivery-loop.js';
import { destinationOf, pendingDelivery } from '../deliveries/delivery-model.js';
import { type Attempt, type Claimed, type DeliveryQueue, LEASE_MS } from '../deliveries/delivery-queue.js';
import type { Sending, SendResult } from '../deliveries/sender.js';

const TENANT = 'a tenant';
const NOTHING: Claimed = { attempts: [], taken: 0, left: new Set() };

/** A look into the store, which the test answers. */
export interface ScriptedLook {
  /** The destinations that are asked for. */
  readonly open: readonly string[];
  readonly roomFor: (path: string) => number;
  readonly isMine: (deliveryId: string) => boolean;
  answer(claimed: Partial<Claimed>): Promise<void>;
  fail(): Promise<void>;
}

/** A request under way, which the test answers. */
export interface ScriptedRequest {
  readonly sending: Sending;
  readonly signal: AbortSignal;
  answer(result: SendResult): Promise<void>;
}

/** Lets everything happen that needs no more than promises. */
export const idle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The destination of a path of the receiver. */
export const at = (path: string, tenant = TENANT) =>
  destinationOf(tenant, `https://receiver.example/${path}`);

/** A delivery loop between a queue and a sender that do what the test says. */
export class ScriptedDeliveryLoop {
  readonly clock = new ScriptedClock();
  readonly looks: ScriptedLook[] = [];
  readonly requests: ScriptedRequest[] = [];
  readonly settled: Parameters<DeliveryQueue['settle']>[] = [];
  readonly released: string[] = [];
  readonly counted: unknown[] = [];
  readonly logged: string[] = [];
  /** What storing an outcome does. */
  store: () => Promise<void> = async () => {};
  /** When the next attempt to a destination is due that nobody holds. */
  nextDueAt: () => number | null = () => this.clock.now();
  /** Destinations whose jobs were scheduled. */
  readonly wanted: string[] = [];
  /** What the jobs of the served destinations have returned. */
  readonly served: (number | null)[] = [];
  readonly loop: DeliveryLoop;
  readonly #ending = new AbortController();

  constructor() {
    const words = (_fields: object, message: string) => void this.logged.push(message);
    this.loop = new DeliveryLoop({
      clock: this.clock,
      log: { ...silentLog, warn: words, error: words },
      outcomes: { inc: (labels: unknown) => void this.counted.push(labels) },
      sender: { send: (sending, signal) => this.#send(sending, signal) },
      queue: {
        claim: (open, room, isMine) => this.#claim(open, room, isMine),
        settle: async (attempt, result) => {
          this.settled.push([attempt, result]);
          await this.store();
        },
        nextDueAt: async () => this.nextDueAt(),
        want: async (destinations) => void this.wanted.push(...destinations),
        release: async (attempts) => void this.released.push(...attempts.map(({ delivery }) => delivery._id)),
      },
    });
  }

  /** The ids of the events that were sent, in their order. */
  get sent(): string[] {
    return this.requests.map(({ sending }) => sending.eventId);
  }

  /** The latest look. */
  get look(): ScriptedLook {
    return this.looks.at(-1)!;
  }

  /** Starts the loop and the job of `a`, whose first look brings what is given. */
  async start(first: Partial<Claimed> = {}): Promise<void> {
    this.loop.start();
    this.serve('a');
    await this.look.answer(first);
  }

  /** Runs the job of a path of the receiver. */
  serve(path: string): void {
    const run = {
      signal: this.#ending.signal,
      rest: (ms: number) => this.clock.sleep(ms, this.#ending.signal).catch(() => {}),
    };
    void this.loop.serve(at(path), run).then((next) => this.served.push(next));
  }

  /** Stops as a replica does: its jobs end first. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await idle();
    await this.loop.stop();
  }

  /** Claimed attempts, named `a1`, `a2` … for the path `a`. */
  attempts(count: number, path = 'a', call: string | null = null, tenant = TENANT): Attempt[] {
    const now = this.clock.now();
    return Array.from({ length: count }, (_, i) => {
      const [id, url] = [`${path}${i + 1}`, `https://receiver.example/${path}`];
      const delivery = pendingDelivery({
        _id: id,
        tenant_id: tenant,
        subscription_id: path,
        event_id: id,
        event_type: 'call.hangup',
        sandbox: true,
        subject: call,
        rank: i,
        origin: 'event',
        url,
        attempt: 1,
        dueAt: now,
        firstDueAt: now,
        now,
      });
      return {
        delivery,
        lease: { owner: 'this replica', until: now + LEASE_MS },
        url,
        secret: 'whsec_x',
        body: '{}',
      };
    });
  }

  #claim(
    open: readonly string[],
    room: (destination: string) => number,
    isMine: (deliveryId: string) => boolean,
  ): Promise<Claimed> {
    return new Promise((resolve, reject) => {
      this.looks.push({
        open,
        isMine,
        roomFor: (path) => room(at(path)),
        answer: (claimed) => {
          resolve({ ...NOTHING, ...claimed });
          return idle();
        },
        fail: () => {
          reject(new Error('the store is away'));
          return idle();
        },
      });
    });
  }

  #send(sending: Sending, signal: AbortSignal): Promise<SendResult> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      const answer = (result: SendResult) => {
        resolve(result);
        return idle();
      };
      this.requests.push({ sending, signal, answer });
    });
  }
}
