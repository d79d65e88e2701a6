import type { Clock } from '@voice/shared/clock/clock';
import { derivedId, type TenantId } from '@voice/shared/ids/ids';
import type { BillingMode } from '../config.js';
import { type MicroDollars, toUsd } from '../platform/money/micro-dollars.js';
import type { TenantEvents } from '../webhooks/events/tenant-events.js';
import { type AccountChange, type AccountState, refusalOf, spentToday } from './account-state.js';
import type { Ledger } from './ledger.js';
import { publishNotices } from './notices.js';
import type { AccountResponse } from './schemas.js';

interface AccountsOptions {
  readonly ledger: Ledger;
  /** What is held for calls that are not charged yet. */
  readonly held: (tenant: TenantId) => Promise<MicroDollars>;
  readonly billing: BillingMode;
  readonly events: TenantEvents;
  readonly clock: Clock;
}

/** Tenants' accounts as the rest of the service uses them: how they stand, and what the operator gives. */
export class Accounts {
  readonly #options: AccountsOptions;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  stateOf(tenant: TenantId): Promise<AccountState> {
    return this.#options.ledger.stateOf(tenant);
  }

  async present(tenant: TenantId): Promise<AccountResponse> {
    const held = await this.#options.held(tenant);
    const state = await this.#options.ledger.stateOf(tenant);
    const now = this.#options.clock.now();
    return {
      tenant_id: tenant,
      credit_usd: state.credit === null ? null : toUsd(state.credit),
      payment_method: state.paymentMethod,
      daily_cap_usd: state.dailyCap === null ? null : toUsd(state.dailyCap),
      spent_today_usd: toUsd(spentToday(state, now)),
      spent_usd: toUsd(state.totalSpent),
      held_usd: toUsd(held),
      refusal: refusalOf(state, now, { billing: this.#options.billing, held }),
    };
  }

  /** Adds credit, once under each name. */
  addCredit(tenant: TenantId, name: string, amount: MicroDollars, reason: string): Promise<void> {
    return this.#enter(tenant, `credit:${name}`, { kind: 'credit', amount, reason });
  }

  /** `name` distinguishes this change from earlier ones to the same limit. */
  setDailyCap(tenant: TenantId, name: string, limit: MicroDollars | null): Promise<void> {
    return this.#enter(tenant, `daily_cap:${name}`, { kind: 'daily_cap', limit });
  }

  setPaymentMethod(tenant: TenantId, name: string, ready: boolean): Promise<void> {
    return this.#enter(tenant, `payment_method:${name}`, { kind: 'payment_method', ready });
  }

  async #enter(tenant: TenantId, name: string, change: AccountChange): Promise<void> {
    const entry = await this.#options.ledger.enter(tenant, derivedId(tenant, name), change);
    await publishNotices(this.#options.events, entry);
  }
}
