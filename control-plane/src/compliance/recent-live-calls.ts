import type { Clock } from '@voice/shared/clock/clock';
import { scopeName, type TenantScope } from '../platform/store/tenant-scope.js';

/** For how long a count is used again, in ms. */
const COUNT_LIFE_MS = 1000;
/** Tenants of which a count is kept. */
const MOST_COUNTS = 1000;

interface Count {
  readonly countedAt: number;
  calls: number;
}

export interface RecentLiveCallsOptions {
  /** Counts the tenant's live calls of the mode, at most up to `limit`. */
  readonly count: (scope: TenantScope, limit: number) => Promise<number>;
  /** From how many calls on every question is a count of its own. */
  readonly nearLimit: number;
  readonly clock: Clock;
}

/**
 * Live calls of tenants that are far from their limit: as counted at most `COUNT_LIFE_MS` ago, with those that began
 * here since. Other replicas would have to begin hundreds of calls of one tenant in that time to bring it to its limit.
 */
export class RecentLiveCalls {
  readonly #options: RecentLiveCallsOptions;
  readonly #counts = new Map<string, Count>();

  constructor(options: RecentLiveCallsOptions) {
    this.#options = options;
  }

  async of(scope: TenantScope, limit: number): Promise<number> {
    const { nearLimit, clock } = this.#options;
    const known = this.#counts.get(scopeName(scope));
    const isRecent = known && clock.monotonic() - known.countedAt < COUNT_LIFE_MS;
    return isRecent && known.calls < nearLimit ? known.calls : this.counted(scope, limit);
  }

  /** Counts them now. */
  async counted(scope: TenantScope, limit: number): Promise<number> {
    const { count, clock } = this.#options;
    const name = scopeName(scope);
    const now = clock.monotonic();
    this.#counts.delete(name);
    const calls = await count(scope, limit);
    this.#counts.set(name, { countedAt: now, calls });
    if (this.#counts.size > MOST_COUNTS) this.#counts.delete(this.#counts.keys().next().value!);
    return calls;
  }

  /** A call of the tenant begins here. */
  began(scope: TenantScope): void {
    const known = this.#counts.get(scopeName(scope));
    if (known) known.calls++;
  }
}
