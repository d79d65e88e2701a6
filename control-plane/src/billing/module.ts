import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { Counter, type Registry } from 'prom-client';
import type { CallBilling } from '../calls/plan/call-billing.js';
import { factsOf } from '../calls/post-call/call-facts.js';
import type { CallModel } from '../calls/record/model.js';
import type { Module, Platform } from '../platform/module.js';
import { type CallCost, totalOf } from '../platform/money/call-cost.js';
import { fromUsd, toUsd } from '../platform/money/micro-dollars.js';
import { ROLLUP_EVERY_MS, type RollupsOptions } from '../platform/rollups/rollups.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import type { TenantEvents } from '../webhooks/events/tenant-events.js';
import { NEW_ACCOUNT } from './account-state.js';
import { Accounts } from './accounts.js';
import { admissionModel } from './admission-model.js';
import { Admissions } from './admissions.js';
import { settleEntry } from './charge.js';
import { Checkout } from './checkout.js';
import { costStep, priceOf, usedBy } from './cost-step.js';
import { customerModel } from './customer-model.js';
import { billingInternalRoutes, paymentIntakeRoutes } from './internal-routes.js';
import { Ledger } from './ledger.js';
import { ledgerModel } from './ledger-model.js';
import { type MeasuredCall, measuredCalls } from './measured-calls.js';
import { Metering } from './metering.js';
import { overdraftModel } from './overdraft-model.js';
import type { Payments } from './payments/port.js';
import { StripePayments } from './payments/stripe.js';
import { pendingEntryModel } from './pending-entry-model.js';
import { billingRoutes } from './routes.js';
import { TextSessionCharges, type TextSessionUsage } from './text-session-charges.js';
import { costOfTypicalMinute, type TypicalCall, typicalMinute } from './typical-minute.js';
import { usageModel } from './usage-model.js';
import { UsageRollups } from './usage-rollups.js';
import { summariseUsage } from './usage-summary.js';

/** How often entries are looked for that nobody posted, in ms. */
const LEDGER_SWEEP_EVERY_MS = 10_000;

export interface BillingModuleOptions {
  readonly platform: Platform;
  readonly events: TenantEvents;
  readonly calls: CallModel;
  readonly tenantExists: (tenant: TenantId) => Promise<boolean>;
  readonly rollups: Pick<RollupsOptions<never>, 'rows' | 'states'>;
}

export interface BillingModule extends Module, CallBilling {
  /** Grants a new tenant the credit that everybody gets to begin with. */
  ensureFreeCredit(tenant: TenantId): Promise<void>;
  /** Charges what a test session in text used of a language model. */
  chargeTextSession(scope: TenantScope, used: TextSessionUsage): Promise<void>;
  /** Response latencies of the most recent calls that ended since then, in ms. */
  readonly usageRollups: UsageRollups;
  responseLatencies(query: LatencyQuery): Promise<(number | null)[]>;
  /** Returns what a minute of a call is taken to cost, by its parts. */
  minuteCost(call: TypicalCall): CallCost;
  /** Returns what calls came to, as far as they are charged. */
  measured(scope: TenantScope, callIds: readonly string[]): Promise<MeasuredCall[]>;
}

interface LatencyQuery {
  readonly scope: TenantScope;
  readonly since: Date;
  readonly shares: readonly number[];
}

/** Connects usage, cost, credit and the payment provider. */
export function createBillingModule({
  platform,
  events,
  calls,
  tenantExists,
  rollups,
}: BillingModuleOptions): BillingModule {
  const { store, clock, config, secrets } = platform;
  const log = platform.log.child({ module: 'billing' });
  const usage = usageModel(store);
  const usageRollups = new UsageRollups({ usage, ...rollups });
  const customers = customerModel(store);
  const ledger = new Ledger({
    entries: ledgerModel(store),
    pending: pendingEntryModel(store),
    clock,
    log,
    onPosted: (entry) => settleEntry({ events, metering }, entry),
  });
  const admissions = new Admissions({
    ledger,
    calls,
    admissions: admissionModel(store),
    billing: config.billing,
    rates: config.rates,
    clock,
  });
  const accounts = new Accounts({
    ledger,
    held: (tenant) => admissions.held(tenant),
    billing: config.billing,
    events,
    clock,
  });
  const payments: Payments | undefined = config.stripe && new StripePayments(config.stripe, clock);
  const metering =
    payments &&
    new Metering({
      usage,
      overdrafts: overdraftModel(store),
      customers,
      payments,
      billing: config.billing,
      hasPaymentMethod: async (tenant) => (await ledger.postedStateOf(tenant)).paymentMethod,
      clock,
      log,
      outcomes: meterOutcomes(platform.metrics),
    });
  const textSessions = new TextSessionCharges({
    usage,
    ledger,
    rates: config.rates,
    clock,
  });
  const checkout = new Checkout({
    customers,
    accounts,
    payments,
    billEarlier: async (tenant) => metering?.billEarlier(tenant),
    publicUrl: () => platform.publicUrl(),
    clock,
  });
  return {
    name: 'billing',
    routes: billingRoutes({
      checkout,
      summary: async (query) =>
        summariseUsage(usageRollups, {
          ...query,
          now: clock.now(),
          // Credit, cap and payment method are production's.
          account: query.scope.sandbox ? NEW_ACCOUNT : await accounts.stateOf(query.scope.tenant),
        }),
    }),
    intakeRoutes: paymentIntakeRoutes({ checkout }),
    internalRoutes: billingInternalRoutes({ accounts, tenantExists }),
    jobs: [
      {
        name: 'usage-rollups',
        everyMs: ROLLUP_EVERY_MS,
        run: async () => void (await usageRollups.rollups.sweep()),
      },
      { name: 'ledger-postings', everyMs: LEDGER_SWEEP_EVERY_MS, run: () => ledger.sweep() },
      ...(metering ? [{ name: 'metering', everyMs: 6000, run: () => metering.sweep() }] : []),
    ],
    async start() {
      logBillingMode(log, config);
    },
    async stop() {
      await ledger.flush();
      await metering?.settled();
    },
    admit: (scope, hold) => admissions.admit(scope, hold),
    minuteHold: (call) => typicalMinute(call, config.rates),
    minuteCost: (call) => costOfTypicalMinute(call, config.rates),
    measured: (scope, callIds) => measuredCalls(usage, scope, callIds),
    costStep: (source) => costStep({ ...source, usage, ledger, secrets, rates: config.rates, clock }),
    chargeTextSession: (scope, used) => textSessions.charge(scope, used),
    async foreseeCost(call, eventsOf) {
      if (call.sandbox) return 0;
      if (call.cost) return toUsd(totalOf(call.cost));
      const facts = factsOf(await eventsOf(call));
      return facts.ended ? toUsd(totalOf(priceOf(call, usedBy(secrets, call, facts), config.rates))) : null;
    },
    async ensureFreeCredit(tenant) {
      const { freeCreditUsd } = config;
      if (freeCreditUsd > 0) {
        await accounts.addCredit(tenant, 'free', fromUsd(freeCreditUsd), 'Free credit to begin with.');
      }
    },
    usageRollups,
    responseLatencies: (query) => usageRollups.responseLatencies(query),
  };
}

/** Says at the start whether production costs somebody. */
function logBillingMode(log: Log, { billing, stripe, freeCreditUsd }: Platform['config']): void {
  if (billing === 'off') {
    log.warn(
      { billing },
      'billing is off: production calls, numbers and verifications need no payment method and no credit. ' +
        'Set BILLING=required (and STRIPE_SECRET_KEY) to refuse them to tenants without.',
    );
  } else if (!stripe && freeCreditUsd === 0) {
    log.warn(
      { billing },
      'billing is required, and nobody can save a payment method: set STRIPE_SECRET_KEY. ' +
        'Until then only tenants with credit that the operator grants reach production.',
    );
  } else {
    log.info({ billing }, 'billing is required: production is for tenants with a payment method or credit');
  }
}

function meterOutcomes(registry: Registry): Counter<'outcome'> {
  const outcomes = new Counter({
    name: 'billing_meter_events_total',
    help: 'Usages reported to the payment provider, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // There before the first: Prometheus sees no increase in a series that begins with its value.
  for (const outcome of ['sent', 'failed', 'expired']) outcomes.inc({ outcome }, 0);
  return outcomes;
}
