import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Call } from './call.js';

interface Reserved {
  plan: CallPlan;
  readonly token: string;
  expiry: Timer;
}

/** How many ended calls are remembered, so that a late command is answered with `already_ended`. */
const ENDED_REMEMBERED = 1000;

export interface CallRegistryOptions {
  readonly capacity: number;
  readonly clock: Clock;
  /** A reservation's media stream did not come in time; its place is free again. */
  readonly onExpired: (plan: CallPlan) => void;
  /** A reservation is gone without a media stream: expired, or given back. */
  readonly onGone?: (callId: string) => void;
  /** Whether there is room on the disk for what a call writes; by default there always is. */
  readonly hasStorage?: () => boolean;
  /** Whether the worker is too late for more calls beside those it holds; by default it never is. */
  readonly isOverloaded?: () => boolean;
}

/**
 * Holds the worker's places: a call is reserved, then claimed by its media stream with a one-time token, then live
 * until it ends. Reserved and live calls together never exceed the capacity.
 */
export class CallRegistry {
  readonly #options: CallRegistryOptions;
  readonly #reserved = new Map<string, Reserved>();
  readonly #live = new Map<string, Call>();
  readonly #ended = new Set<string>();
  #draining = false;
  #whenIdle: (() => void) | undefined;

  constructor(options: CallRegistryOptions) {
    this.#options = options;
  }

  get capacity(): number {
    return this.#options.capacity;
  }

  get live(): number {
    return this.#live.size;
  }

  get reserved(): number {
    return this.#reserved.size;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Returns calls that it holds, reserved ones too. */
  callIds(): string[] {
    return [...this.#reserved.keys(), ...this.#live.keys()];
  }

  calls(): Iterable<Call> {
    return this.#live.values();
  }

  find(callId: string): Call | undefined {
    return this.#live.get(callId);
  }

  hasEnded(callId: string): boolean {
    return this.#ended.has(callId);
  }

  /**
   * Takes a place for the call and returns the token of its media stream. Asking again for a call that is reserved
   * answers the same token, and holds the place until the later of both deadlines. Throws 503 `worker_draining`,
   * `storage_full`, `workers_at_capacity` or `worker_overloaded`, 409 `call_already_live`.
   */
  reserve(plan: CallPlan): string {
    const known = this.#reserved.get(plan.call_id);
    if (known) {
      this.#extend(known, plan);
      return known.token;
    }
    if (this.#live.has(plan.call_id) || this.#ended.has(plan.call_id)) {
      throw new ServiceError({
        code: 'call_already_live',
        status: 409,
        message: 'This worker already runs or ran this call.',
      });
    }
    if (this.#draining) {
      throw new ServiceError({
        code: 'worker_draining',
        status: 503,
        message: 'This worker takes no more calls.',
        retryable: true,
      });
    }
    if (this.#options.hasStorage?.() === false) {
      throw new ServiceError({
        code: 'storage_full',
        status: 503,
        message: "This worker's disk is full; it takes no more calls until there is room.",
        retryable: true,
      });
    }
    if (this.#reserved.size + this.#live.size >= this.capacity) {
      throw new ServiceError({
        code: 'workers_at_capacity',
        status: 503,
        message: 'This worker has no free place.',
        retryable: true,
      });
    }
    // An idle worker is late for other reasons, and nobody's quality is at stake.
    if (this.#reserved.size + this.#live.size > 0 && this.#options.isOverloaded?.()) {
      throw new ServiceError({
        code: 'worker_overloaded',
        status: 503,
        message: 'This worker is late for the calls it holds; it takes no more until it has caught up.',
        retryable: true,
      });
    }
    const token = randomBytes(24).toString('base64url');
    this.#reserved.set(plan.call_id, { plan, token, expiry: this.#scheduleExpiry(plan) });
    return token;
  }

  /** A control plane that took the call over rings anew; a request of the one before may come after its own. */
  #extend(reserved: Reserved, plan: CallPlan): void {
    if (plan.stream_deadline_at <= reserved.plan.stream_deadline_at) return;
    reserved.expiry.cancel();
    reserved.plan = plan;
    reserved.expiry = this.#scheduleExpiry(plan);
  }

  #scheduleExpiry(plan: CallPlan): Timer {
    const { clock, onExpired, onGone } = this.#options;
    return clock.schedule(plan.stream_deadline_at - clock.now(), () => {
      this.#reserved.delete(plan.call_id);
      this.#notifyIdle();
      onExpired(plan);
      onGone?.(plan.call_id);
    });
  }

  /** Gives a reservation back. False when there is none. */
  release(callId: string): boolean {
    const reserved = this.#reserved.get(callId);
    if (!reserved) return false;
    reserved.expiry.cancel();
    this.#reserved.delete(callId);
    this.#options.onGone?.(callId);
    this.#notifyIdle();
    return true;
  }

  /** Returns the reservation that the stream's token is for; the token is used up by it. Constant time. */
  claim(callId: string, token: string): CallPlan | undefined {
    const reserved = this.#reserved.get(callId);
    if (!reserved) return undefined;
    const given = Buffer.from(token);
    const expected = Buffer.from(reserved.token);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    reserved.expiry.cancel();
    this.#reserved.delete(callId);
    return reserved.plan;
  }

  /** Returns the reservation of a WebRTC call, whose offer came through the control plane; it is used up. */
  claimWebRtc(callId: string): CallPlan | undefined {
    const reserved = this.#reserved.get(callId);
    if (reserved?.plan.carrier.protocol !== 'webrtc') return undefined;
    reserved.expiry.cancel();
    this.#reserved.delete(callId);
    return reserved.plan;
  }

  /** Returns whether the call has a place here: reserved or live. */
  holds(callId: string): boolean {
    return this.#reserved.has(callId) || this.#live.has(callId);
  }

  add(call: Call): void {
    this.#live.set(call.id, call);
  }

  remove(callId: string): void {
    this.#live.delete(callId);
    this.#ended.add(callId);
    if (this.#ended.size > ENDED_REMEMBERED) {
      const oldest = this.#ended.values().next().value;
      if (oldest !== undefined) this.#ended.delete(oldest);
    }
    this.#notifyIdle();
  }

  /** Takes no more calls. Resolves when the last one has ended. */
  drain(): Promise<void> {
    this.#draining = true;
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
      this.#notifyIdle();
    });
  }

  #notifyIdle(): void {
    if (this.#reserved.size + this.#live.size === 0) this.#whenIdle?.();
  }
}
