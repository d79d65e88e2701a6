import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import { NO_TRACING, type Tracer } from '@voice/shared/tracing/tracer';
import type { Counter } from 'prom-client';
import type { JobRun } from '../../platform/jobs/keyed-job.js';
import { tenantOfDestination } from './delivery-model.js';
import { orderKeyOf } from './delivery-order.js';
import type { Attempt, DeliveryQueue } from './delivery-queue.js';
import { tracedDelivery } from './delivery-span.js';
import type { Outlet } from './fan-out.js';
import { Lane, type Outcome } from './lane.js';
import { SEND_TIMEOUT_MS, type Sender } from './sender.js';
import { Tally } from './tally.js';

/** How often a destination is looked at of which something is due that cannot be sent yet, in ms. */
export const POLL_INTERVAL_MS = 2000;
/** How often lanes are cleared of which nothing is held, in ms. */
export const FORGET_INTERVAL_MS = 2000;
/** Requests under way at once, to all destinations together. */
const MAX_IN_FLIGHT = 1024;
/** Of one tenant: whose receivers all hang leaves room for the others. */
const MAX_IN_FLIGHT_OF_TENANT = 256;
/** Claimed attempts, waiting ones included. */
const MAX_HELD = 10_000;
/** Of one tenant: no more than are sent within their leases, however slow its receivers are. */
const MAX_HELD_OF_TENANT = 1000;

interface DeliveryLoopOptions {
  readonly queue: Pick<DeliveryQueue, 'claim' | 'settle' | 'release' | 'nextDueAt' | 'want'>;
  readonly sender: Pick<Sender, 'send'>;
  readonly tracer?: Tracer;
  readonly clock: Clock;
  readonly log: Log;
  readonly outcomes: Pick<Counter<'outcome'>, 'inc'>;
}

/**
 * Sends what is due: first attempts as they come, and of the destinations whose jobs run here what is due in the
 * store. Keeps destinations apart in lanes.
 */
export class DeliveryLoop implements Outlet {
  readonly #options: DeliveryLoopOptions;
  readonly #lanes = new Map<string, Lane<Attempt>>();
  readonly #running = new Set<Promise<void>>();
  /** Requests under way. */
  readonly #inFlight = new Tally();
  /** Deliveries under way and waiting here, by id. */
  readonly #holding = new Set<string>();
  readonly #heldOf = new Tally();
  readonly #abort = new AbortController();
  /** Destinations that could send more if fewer requests were under way. */
  readonly #heldUp = new Set<string>();
  /** Destinations whose jobs this replica runs. */
  readonly #served = new Set<string>();
  #timer: Timer | undefined;
  #pumping: Promise<void> | undefined;
  #wanted = false;
  #stopped = true;

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopped = false;
    this.#forget();
  }

  /**
   * Sends what is due to the destination until nothing is: its job. Returns when the next attempt is due, in epoch ms;
   * null when none waits.
   */
  async serve(
    destination: string,
    { signal, rest }: Pick<JobRun, 'signal' | 'rest'>,
  ): Promise<number | null> {
    const { queue, clock } = this.#options;
    this.#served.add(destination);
    try {
      while (!signal.aborted && !this.#stopped) {
        this.wake();
        await this.#pumping;
        const next = await queue.nextDueAt(destination);
        if (next === null || next > clock.now()) return next;
        // Its lane is full, or an earlier event of the same call is in other hands.
        await rest(POLL_INTERVAL_MS);
      }
      return clock.now();
    } finally {
      this.#served.delete(destination);
      const lane = this.#lanes.get(destination);
      if (lane) lane.backlog = false;
    }
  }

  /** Lets what is under way finish for as long as one attempt may take; gives back what waits, and what takes longer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#pumping;
    const waiting = [...this.#lanes.values()].flatMap((lane) => lane.drain());
    for (const attempt of waiting) this.#letGo(attempt);
    await this.#options.queue.release(waiting);
    const limit = setTimeout(() => this.#abort.abort(), SEND_TIMEOUT_MS + 1000);
    await Promise.all(this.#running);
    clearTimeout(limit);
  }

  /** There is something to send to destinations that are served here: look now. */
  wake(): void {
    this.#wanted = true;
    if (this.#stopped || this.#pumping) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
      if (this.#wanted) this.wake();
    });
  }

  /** Not while older attempts wait in the store: those go first. */
  hasRoom(destination: string): boolean {
    const lane = this.#lanes.get(destination);
    if (this.#stopped || this.#holding.size >= MAX_HELD || this.#hasItsShare(destination)) return false;
    return !lane || (lane.room > 0 && !lane.backlog);
  }

  /** Takes on claimed attempts; once stopped, gives them back. */
  async take(attempts: readonly Attempt[]): Promise<void> {
    if (this.#stopped) return this.#options.queue.release(attempts);
    for (const attempt of attempts) {
      this.#hold(attempt);
      this.#lane(attempt.delivery.destination).add(attempt);
    }
    for (const { delivery } of attempts) this.#advance(delivery.destination);
  }

  holds(deliveryId: string): boolean {
    return this.#holding.has(deliveryId);
  }

  /** What waits in the store for these destinations is due: their jobs send it. */
  due(destinations: Iterable<string>): Promise<void> {
    return this.#options.queue.want(destinations, this.#options.clock.now());
  }

  /** Forgets what receivers have shown to which nothing is under way. */
  #forget(): void {
    for (const [destination, lane] of this.#lanes) {
      if (lane.held === 0 && !this.#served.has(destination)) this.#lanes.delete(destination);
    }
    this.#timer = this.#options.clock.schedule(FORGET_INTERVAL_MS, () => this.#forget());
  }

  async #pump(): Promise<void> {
    try {
      do {
        this.#wanted = false;
        while (await this.#claim());
      } while (this.#wanted);
    } catch (err) {
      // The next look tries again; what was claimed is free again when its lease is over.
      this.#wanted = false;
      this.#options.log.error({ err }, 'deliveries could not be claimed');
    }
  }

  /** Makes one round; false when nothing more can be taken now. */
  async #claim(): Promise<boolean> {
    if (this.#stopped || this.#holding.size >= MAX_HELD) return false;
    const isFull = (destination: string) =>
      this.#lane(destination).room === 0 || this.#hasItsShare(destination);
    const full = new Set([...this.#served].filter(isFull));
    const open = [...this.#served].filter((destination) => !full.has(destination));
    for (const destination of full) this.#lane(destination).backlog = true;
    if (open.length === 0) return false;
    const { attempts, taken, left } = await this.#options.queue.claim(
      open,
      (destination) => this.#lane(destination).room,
      (id) => this.holds(id),
    );
    for (const destination of left) this.#lane(destination).backlog = true;
    await this.take(attempts);
    return taken > 0;
  }

  #lane(destination: string): Lane<Attempt> {
    const known = this.#lanes.get(destination);
    if (known) return known;
    const lane = new Lane<Attempt>(({ delivery }) => orderKeyOf(delivery));
    this.#lanes.set(destination, lane);
    return lane;
  }

  #hold({ delivery }: Attempt): void {
    this.#holding.add(delivery._id);
    this.#heldOf.add(tenantOfDestination(delivery.destination), 1);
  }

  #letGo({ delivery }: Attempt): void {
    this.#holding.delete(delivery._id);
    this.#heldOf.add(tenantOfDestination(delivery.destination), -1);
  }

  /** Whether as much is held of the destination's tenant as may be. */
  #hasItsShare(destination: string): boolean {
    return this.#heldOf.of(tenantOfDestination(destination)) >= MAX_HELD_OF_TENANT;
  }

  /** Starts what may start in this lane. */
  #advance(destination: string): void {
    const lane = this.#lane(destination);
    const tenant = tenantOfDestination(destination);
    while (!this.#stopped) {
      if (this.#running.size >= MAX_IN_FLIGHT || this.#inFlight.of(tenant) >= MAX_IN_FLIGHT_OF_TENANT) {
        this.#heldUp.add(destination);
        return;
      }
      const attempt = lane.next();
      if (!attempt) return;
      this.#inFlight.add(tenant, 1);
      const running = this.#attempt(attempt).then((outcome) => {
        this.#running.delete(running);
        this.#inFlight.add(tenant, -1);
        this.#letGo(attempt);
        lane.finished(attempt, outcome);
        this.#afterAttempt(destination, lane);
      });
      this.#running.add(running);
    }
  }

  #afterAttempt(destination: string, lane: Lane<Attempt>): void {
    // Those of the tenant with the fewest requests come first, or the place would go to the same receivers for ever.
    const requests = (name: string) => this.#inFlight.of(tenantOfDestination(name));
    const next = [...this.#heldUp].sort((a, b) => requests(a) - requests(b));
    next.push(destination);
    this.#heldUp.clear();
    for (const name of next) this.#advance(name);
    if (lane.hungry) {
      lane.backlog = false;
      this.wake();
    }
  }

  async #attempt(attempt: Attempt): Promise<Outcome> {
    const { queue, sender, clock, log, outcomes, tracer = NO_TRACING } = this.#options;
    const { delivery, url, secret, body } = attempt;
    // Too late to be sure that nobody else sends it meanwhile: it will be claimed again.
    if (clock.now() > attempt.lease.until - SEND_TIMEOUT_MS) {
      await this.#giveBack(attempt);
      return 'not_sent';
    }
    try {
      const result = await tracedDelivery({ tracer, clock }, attempt, () =>
        sender.send(
          { url, secret, body, eventId: delivery.event_id, eventType: delivery.event_type },
          this.#abort.signal,
        ),
      );
      await queue.settle(attempt, result);
      outcomes.inc({ outcome: result.ok ? 'succeeded' : 'failed' });
      return result.ok ? 'ok' : 'failed';
    } catch (err) {
      // Sent or not, nobody wrote it down: it is sent again, when the lease is over, or now that this replica leaves.
      log.warn({ delivery_id: delivery._id, err }, 'a delivery was not settled');
      if (this.#stopped) await this.#giveBack(attempt);
      return 'failed';
    }
  }

  /** Others may make the attempt at once; where the store fails, when its lease is over. */
  async #giveBack(attempt: Attempt): Promise<void> {
    const { queue, log } = this.#options;
    await queue
      .release([attempt])
      .catch((err: unknown) =>
        log.warn({ delivery_id: attempt.delivery._id, err }, 'a lease was not given up'),
      );
  }
}
