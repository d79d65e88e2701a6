import { createHash } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import { ProviderError, type ProviderKind } from '../provider-error.js';
import {
  admit,
  BREAKER_LIMITS,
  type BreakerOutcome,
  type BreakerPhase,
  type BreakerState,
  CLOSED,
  record,
} from './circuit-breaker.js';

/** Accounts and servers of tenants that are remembered at once. */
const MAX_TENANT_TARGETS = 500;
/** What speaks against the provider. A refused key or request speaks against who sent it. */
const FAILURES: ReadonlySet<string> = new Set([
  'unavailable',
  'timed_out',
  'disconnected',
  'protocol_violation',
  'rate_limited',
]);

/** Holds one provider's breaker, for all calls of the worker. */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #onOpened: () => void;
  readonly results: Record<BreakerOutcome, number> = { ok: 0, slow: 0, failed: 0 };
  opened = 0;
  #state: BreakerState = CLOSED;

  constructor(clock: Clock, onOpened: () => void = () => {}) {
    this.#clock = clock;
    this.#onOpened = onOpened;
  }

  get phase(): BreakerPhase {
    return this.#state.phase;
  }

  /** Returns whether a request that could go elsewhere may go to the provider. One that is let through must be begun. */
  admits(): boolean {
    const { state, isAdmitted } = admit(this.#state, BREAKER_LIMITS, this.#clock.monotonic());
    this.#state = state;
    return isAdmitted;
  }

  /** Begins a request; what is returned takes its result. */
  begin(): (outcome: BreakerOutcome) => void {
    const startedAt = this.#clock.monotonic();
    return (outcome) => {
      this.results[outcome] += 1;
      const before = this.#state.phase;
      this.#state = record(this.#state, BREAKER_LIMITS, { outcome, startedAt }, this.#clock.monotonic());
      if (this.#state.phase !== 'open' || before === 'open') return;
      this.opened += 1;
      this.#onOpened();
    };
  }
}

export interface BreakerReport {
  readonly kind: ProviderKind;
  readonly provider: string;
  readonly phase: BreakerPhase;
  readonly results: Readonly<Record<BreakerOutcome, number>>;
  readonly opened: number;
}

/**
 * Holds the worker's breakers: one for each provider by the platform's account, and one for each account or server that
 * agents or their tenants bring, so that a tenant's bad day is not everybody's.
 */
export class CircuitBreakers {
  readonly #clock: Clock;
  readonly #onOpened: (kind: ProviderKind, provider: string) => void;
  readonly #platform = new Map<string, { kind: ProviderKind; provider: string; breaker: CircuitBreaker }>();
  readonly #tenants = new Map<string, CircuitBreaker>();

  constructor(clock: Clock, onOpened: (kind: ProviderKind, provider: string) => void = () => {}) {
    this.#clock = clock;
    this.#onOpened = onOpened;
  }

  /** @param tenantKey the tenant's own key, where the call's agent is on it and not on the installation's */
  find(kind: ProviderKind, { provider, params }: ProviderChoice, tenantKey?: string): CircuitBreaker {
    const key = `${kind} ${provider}`;
    const own = [params.base_url, params.api_key ?? tenantKey];
    if (own.every((value) => value === undefined)) {
      const known = this.#platform.get(key);
      if (known) return known.breaker;
      const breaker = new CircuitBreaker(this.#clock, () => this.#onOpened(kind, provider));
      this.#platform.set(key, { kind, provider, breaker });
      return breaker;
    }
    // A hash: nothing here needs the key itself.
    const target = `${key} ${createHash('sha256').update(JSON.stringify(own)).digest('base64')}`;
    const breaker = this.#tenants.get(target) ?? new CircuitBreaker(this.#clock);
    this.#tenants.delete(target);
    this.#tenants.set(target, breaker);
    const [oldest] = this.#tenants.keys();
    if (this.#tenants.size > MAX_TENANT_TARGETS && oldest !== undefined) this.#tenants.delete(oldest);
    return breaker;
  }

  /** Returns those of the platform's accounts that were asked for so far. */
  list(): BreakerReport[] {
    return [...this.#platform.values()].map(({ kind, provider, breaker }) => ({
      kind,
      provider,
      phase: breaker.phase,
      results: breaker.results,
      opened: breaker.opened,
    }));
  }
}

/** Returns whether an error says something about the provider, and not about who asked. */
export function isProvidersFault(error: unknown): boolean {
  return error instanceof ProviderError && FAILURES.has(error.code.replace(/^[a-z]+_/, ''));
}
