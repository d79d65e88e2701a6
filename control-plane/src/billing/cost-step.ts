import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import type { CallSource } from '../calls/call-billing.js';
import { tenantOf } from '../calls/call-ending.js';
import { thawAgent } from '../calls/frozen-agent.js';
import type { CallDocument } from '../calls/model.js';
import { isTestSession } from '../calls/test-sessions.js';
import type { TenantEvents } from '../events/tenant-events.js';
import { type CallCost, totalOf } from '../money/call-cost.js';
import { type CallFacts, factsOf, lastEventsDueBy } from '../post-call/call-facts.js';
import { DONE, type PostCallStep } from '../post-call/step.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { carrierMinutes, costOfCall } from './cost-of-call.js';
import { COST_STEP } from './holds.js';
import type { Ledger } from './ledger.js';
import type { Metering } from './metering.js';
import { tellNotices } from './notices.js';
import type { UsageModel, UsageRow } from './usage-model.js';
import { type CountedUsage, totalsOf, type UsedSegment, usedSegments } from './used-segments.js';

/** How often the worker's last events are looked for, in ms. */
const LOOK_AGAIN_MS = 1000;

export interface CostStepOptions extends CallSource {
  readonly usage: UsageModel;
  readonly ledger: Ledger;
  /** Undefined where there is no payment provider. */
  readonly metering: Metering | undefined;
  readonly events: TenantEvents;
  readonly secrets: SecretBox;
  readonly clock: Clock;
}

/** What a call used of providers, by all that is known of it. */
export function usedBy(
  secrets: SecretBox,
  call: CallDocument,
  facts: CallFacts,
  further: Pick<CountedUsage, 'proxied' | 'analysis'> = { proxied: [], analysis: null },
): UsedSegment[] {
  return usedSegments({ usage: facts.ended?.usage ?? null, agent: thawAgent(secrets, call), ...further });
}

export function priceOf(call: CallDocument, used: readonly UsedSegment[]): CallCost {
  const { sandbox, carrier, direction, duration_ms: durationMs } = call;
  return costOfCall({ sandbox, carrier, direction, durationMs: durationMs ?? 0, used });
}

/**
 * Gives a call its cost: the usage record first, which keeps whatever was reckoned first; then the tenant's
 * ledger, once; then what the payment provider is to be told; then the call. Again is the same.
 */
export function costStep(options: CostStepOptions): PostCallStep {
  const { calls, usage, ledger, metering, events, secrets, clock } = options;

  async function charge(tenant: TenantId, record: UsageRow): Promise<void> {
    const entry = await ledger.enter(tenant, record._id, {
      kind: 'usage',
      callId: record._id,
      cost: record.total,
    });
    await tellNotices(events, entry);
    if (entry.billable > 0) await metering?.plan(tenant, record._id, entry.billable);
  }

  return {
    name: COST_STEP,
    async run(call) {
      if (isTestSession(call)) return DONE;
      const facts = factsOf(await options.eventsOf(call));
      const now = clock.now();
      if (lastEventsDueBy(call, facts, now) !== undefined) {
        return { kind: 'waiting', lookAgainAt: now + LOOK_AGAIN_MS };
      }
      const tenant = tenantOf(call);
      const [proxied, analysis] = await Promise.all([
        options.proxiedTokensOf(call),
        options.analysisTokensOf(call),
      ]);
      const used = usedBy(secrets, call, facts, { proxied, analysis });
      const record = await usage
        .findOneAndUpdate(
          { _id: call._id, tenant_id: tenant },
          { $setOnInsert: usageOf(call, facts, used) },
          { upsert: true, returnDocument: 'after' },
        )
        .orFail()
        .lean<UsageRow>();
      if (!call.sandbox && record.total > 0) await charge(tenant, record);
      await calls.updateOne({ _id: call._id, tenant_id: tenant }, { $set: { cost: record.cost } });
      return DONE;
    },
  };
}

function usageOf(call: CallDocument, { record }: CallFacts, used: readonly UsedSegment[]): UsageRow {
  const cost = priceOf(call, used);
  const durationMs = call.duration_ms ?? 0;
  return {
    _id: call._id,
    tenant_id: call.tenant_id,
    sandbox: call.sandbox,
    ended_at: call.ended_at ?? call.updated_at,
    answered: call.started_at !== null,
    duration_ms: durationMs,
    carrier_minutes: carrierMinutes(durationMs),
    ...totalsOf(used),
    cost,
    total: totalOf(cost),
    response_latencies_ms: record.turnMetrics.flatMap(({ response_latency_ms: ms }) => ms ?? []),
    meter_state: 'none',
    meter_value: 0,
    meter_attempts: 0,
    meter_due_at: null,
  };
}
