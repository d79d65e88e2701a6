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

/** A provider's account as calls see it: whether it may be asked, and where they report how it went. */
export interface Breaker {
  readonly phase: BreakerPhase;
  readonly results: Readonly<Record<BreakerOutcome, number>>;
  /** Returns whether a request that could go elsewhere may go to the provider. One that is let through must be begun. */
  admits(): boolean;
  /** Begins a request; what is returned takes its result. */
  begin(): (outcome: BreakerOutcome) => void;
}

/** Holds one account's breaker, for all calls of the worker. */
export class CircuitBreaker implements Breaker {
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

  admits(): boolean {
    const { state, isAdmitted } = admit(this.#state, BREAKER_LIMITS, this.#clock.monotonic());
    this.#state = state;
    return isAdmitted;
  }

  /** @param from whose request it is; a result that `isKnown` is counted and judges nothing */
  begin(from?: string): (outcome: BreakerOutcome, isKnown?: boolean) => void {
    const startedAt = this.#clock.monotonic();
    return (outcome, isKnown = false) => {
      this.results[outcome] += 1;
      if (isKnown) return;
      const before = this.#state.phase;
      const result = { outcome, startedAt, from };
      this.#state = record(this.#state, BREAKER_LIMITS, result, this.#clock.monotonic());
      if (this.#state.phase !== 'open' || before === 'open') return;
      this.opened += 1;
      this.#onOpened();
    };
  }
}

/**
 * One tenant's view of the platform's account. What fails for this tenant alone leaves the tenant's calls to their
 * fallbacks and nobody else's: a model that takes long to think, a language that nobody speaks.
 */
class TenantBreaker implements Breaker {
  readonly #tenant: string;
  readonly #shared: CircuitBreaker;
  readonly #own: CircuitBreaker;

  constructor(tenant: string, shared: CircuitBreaker, own: CircuitBreaker) {
    this.#tenant = tenant;
    this.#shared = shared;
    this.#own = own;
  }

  get phase(): BreakerPhase {
    return this.#shared.phase === 'closed' ? this.#own.phase : this.#shared.phase;
  }

  get results() {
    return this.#shared.results;
  }

  admits(): boolean {
    return this.#own.admits() && this.#shared.admits();
  }

  begin(): (outcome: BreakerOutcome) => void {
    const shared = this.#shared.begin(this.#tenant);
    const own = this.#own.begin();
    return (outcome) => {
      // What is known to fail for this tenant says nothing of whether the provider works again for the others.
      shared(outcome, outcome !== 'ok' && this.#own.phase !== 'closed');
      own(outcome);
    };
  }
}

/** The platform's account with a provider, and what single tenants have of it. */
interface PlatformAccount {
  readonly kind: ProviderKind;
  readonly provider: string;
  readonly shared: CircuitBreaker;
  readonly tenants: Map<string, CircuitBreaker>;
}

export interface BreakerReport {
  readonly kind: ProviderKind;
  readonly provider: string;
  /** Of the account, or else of the one tenant that it does not work for. */
  readonly phase: BreakerPhase;
  readonly results: Readonly<Record<BreakerOutcome, number>>;
  readonly opened: number;
}

/**
 * Holds the worker's breakers: one for each provider by the platform's account, with one for each tenant on it, and one
 * for each account or server that agents or their tenants bring, so that a tenant's bad day is not everybody's.
 */
export class CircuitBreakers {
  readonly #clock: Clock;
  readonly #onOpened: (kind: ProviderKind, provider: string) => void;
  readonly #platform = new Map<string, PlatformAccount>();
  readonly #tenants = new Map<string, CircuitBreaker>();

  constructor(clock: Clock, onOpened: (kind: ProviderKind, provider: string) => void = () => {}) {
    this.#clock = clock;
    this.#onOpened = onOpened;
  }

  /**
   * @param tenantKey the tenant's own key, where the call's agent is on it and not on the installation's
   * @param tenant whose call it is; where that is not said, its results are everybody's
   */
  find(
    kind: ProviderKind,
    { provider, params }: ProviderChoice,
    tenantKey?: string,
    tenant?: string,
  ): Breaker {
    const own = [params.base_url, params.api_key ?? tenantKey];
    if (own.every((value) => value === undefined)) return this.#onPlatform(kind, provider, tenant);
    // A hash: nothing here needs the key itself.
    const target = `${kind} ${provider} ${createHash('sha256').update(JSON.stringify(own)).digest('base64')}`;
    return recent(this.#tenants, target, () => new CircuitBreaker(this.#clock));
  }

  #onPlatform(kind: ProviderKind, provider: string, tenant: string | undefined): Breaker {
    const key = `${kind} ${provider}`;
    const onOpened = () => this.#onOpened(kind, provider);
    const account = this.#platform.get(key) ?? {
      kind,
      provider,
      shared: new CircuitBreaker(this.#clock, onOpened),
      tenants: new Map<string, CircuitBreaker>(),
    };
    this.#platform.set(key, account);
    const { shared, tenants } = account;
    if (tenant === undefined) return shared;
    const own = recent(tenants, tenant, () => {
      const opened = () => {
        shared.opened += 1;
        onOpened();
      };
      return new CircuitBreaker(this.#clock, opened);
    });
    return new TenantBreaker(tenant, shared, own);
  }

  /** Returns those of the platform's accounts that were asked for so far. */
  list(): BreakerReport[] {
    return [...this.#platform.values()].map(({ kind, provider, shared, tenants }) => ({
      kind,
      provider,
      phase: worst([shared, ...tenants.values()]),
      results: shared.results,
      opened: shared.opened,
    }));
  }
}

function worst(breakers: readonly CircuitBreaker[]): BreakerPhase {
  return breakers.find(({ phase }) => phase !== 'closed')?.phase ?? 'closed';
}

/** Returns the key's breaker, and forgets the one that was asked for longest ago where there are too many. */
function recent(
  breakers: Map<string, CircuitBreaker>,
  key: string,
  create: () => CircuitBreaker,
): CircuitBreaker {
  const breaker = breakers.get(key) ?? create();
  breakers.delete(key);
  breakers.set(key, breaker);
  const [oldest] = breakers.keys();
  if (breakers.size > MAX_TENANT_TARGETS && oldest !== undefined) breakers.delete(oldest);
  return breaker;
}

/** Returns whether an error says something about the provider, and not about who asked. */
export function isProvidersFault(error: unknown): boolean {
  return error instanceof ProviderError && FAILURES.has(error.code.replace(/^[a-z]+_/, ''));
}
