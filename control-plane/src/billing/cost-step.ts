import type { Clock } from '@voice/shared/clock/clock';
import type { CallSource } from '../calls/plan/call-billing.js';
import {
  type CallFacts,
  factsOf,
  lastEventsDueBy,
  preparedUsageDueBy,
  usageOf as workerUsageOf,
} from '../calls/post-call/call-facts.js';
import { DONE, type PostCallStep } from '../calls/post-call/step.js';
import { isAnswered } from '../calls/record/answered.js';
import { openHandoffs } from '../calls/record/call-handoffs.js';
import { thawAgent } from '../calls/record/frozen-agent.js';
import type { CallDocument } from '../calls/record/model.js';
import { tenantOf } from '../calls/record/tenant-of.js';
import { isTestSession } from '../calls/record/test-sessions.js';
import { storedStages } from '../calls/turn-stages.js';
import { type CallCost, totalOf } from '../platform/money/call-cost.js';
import type { RateTable } from '../platform/money/rates.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { GatheredInserts } from '../platform/store/gathered-inserts.js';
import { charge } from './charge.js';
import { carrierMinutes, costOfCall } from './cost-of-call.js';
import { COST_STEP } from './holds.js';
import type { Ledger } from './ledger.js';
import { NOT_METERED, type UsageModel, type UsageRow } from './usage-model.js';
import {
  type CountedUsage,
  totalsOf,
  type UsedSegment,
  usedSegments,
  wastedSegments,
} from './used-segments.js';

/** How often the worker's last events are looked for, in ms. */
const LOOK_AGAIN_MS = 1000;
/** How long after the call's end the carrier is asked for its price, in ms; then its list holds. */
const PRICE_DUE_MS = 120_000;
/** The least and the most time between two questions, in ms; between them, as long as the call is over. */
const ASK_PRICE_AGAIN_MS = { least: 5000, most: 60_000 };

export interface CostStepOptions extends CallSource {
  readonly usage: UsageModel;
  readonly ledger: Pick<Ledger, 'append'>;
  readonly secrets: SecretBox;
  readonly rates: RateTable;
  readonly clock: Clock;
}

/** Returns what a call used of providers, by what its worker said of it. */
export function usedBy(secrets: SecretBox, call: CallDocument, facts: CallFacts): UsedSegment[] {
  const ofWorker = { usage: workerUsageOf(call, facts), ...agentsOf(secrets, call) };
  return usedSegments({ ...ofWorker, proxied: [], analysis: null });
}

/** Returns the agents that a call was held by. */
function agentsOf(secrets: SecretBox, call: CallDocument): Pick<CountedUsage, 'agent' | 'laterAgents'> {
  return {
    agent: thawAgent(secrets, call),
    laterAgents: openHandoffs(secrets, call).map(({ agent }) => agent),
  };
}

/** @param wasted what of it was of no use */
export function priceOf(
  call: CallDocument,
  used: readonly UsedSegment[],
  rates: RateTable,
  wasted: readonly UsedSegment[] = [],
): CallCost {
  const { sandbox, carrier, direction, to_number: toNumber, duration_ms: durationMs } = call;
  const carrierPrice = call.carrier_price ?? null;
  return costOfCall(
    { sandbox, carrier, direction, toNumber, carrierPrice, durationMs: durationMs ?? 0, used, wasted },
    rates,
  );
}

/**
 * Gives a call its cost: the usage record first, which keeps whatever was reckoned first; then the tenant's
 * ledger, once, which has notices and the report to the payment provider follow; then the call, with the mark of the
 * step. Again is the same.
 */
export function costStep(options: CostStepOptions): PostCallStep {
  const { usage, secrets, rates, clock } = options;
  const inserts = new GatheredInserts<UsageRow>(usage);

  return {
    name: COST_STEP,
    async run(ended, signal) {
      let call = ended;
      if (isTestSession(call) && call.sandbox) return DONE;
      const facts = factsOf(await options.eventsOf(call));
      const now = clock.now();
      const dueBy = lastEventsDueBy(call, facts, now) ?? preparedUsageDueBy(call, facts, now);
      if (dueBy !== undefined) {
        return { kind: 'waiting', lookAgainAt: now + LOOK_AGAIN_MS };
      }
      const tenant = tenantOf(call);
      if (!call.sandbox && (call.carrier_price ?? null) === null) {
        const price = await options.carrierPriceOf(call, signal);
        const overFor = now - (call.ended_at ?? call.updated_at).getTime();
        if (price.kind === 'pending' && overFor < PRICE_DUE_MS) {
          const wait = Math.min(ASK_PRICE_AGAIN_MS.most, Math.max(ASK_PRICE_AGAIN_MS.least, overFor));
          return { kind: 'waiting', lookAgainAt: now + wait };
        }
        if (price.kind === 'price') call = { ...call, carrier_price: price.amount };
      }
      const [proxied, analysis] = await Promise.all([
        options.proxiedTokensOf(call),
        options.analysisTokensOf(call),
      ]);
      const agents = agentsOf(secrets, call);
      const used = usedSegments({ usage: workerUsageOf(call, facts), ...agents, proxied, analysis });
      const wasted = wastedSegments({ usage: facts.ended?.usage ?? null, ...agents });
      const cost = priceOf(call, used, rates, wasted);
      const fresh = usageOf(call, facts, cost, used);
      const record = (await inserts.insert(fresh))
        ? fresh
        : await usage.findOne({ _id: call._id, tenant_id: tenant }).orFail().lean<UsageRow>();
      await charge(options.ledger, record);
      return { kind: 'done', set: { cost: record.cost } };
    },
  };
}

function usageOf(
  call: CallDocument,
  { record }: CallFacts,
  cost: CallCost,
  used: readonly UsedSegment[],
): UsageRow {
  const durationMs = call.duration_ms ?? 0;
  return {
    _id: call._id,
    tenant_id: call.tenant_id,
    sandbox: call.sandbox,
    ended_at: call.ended_at ?? call.updated_at,
    answered: isAnswered(call),
    duration_ms: durationMs,
    carrier_minutes: carrierMinutes(durationMs),
    ...totalsOf(used),
    cost,
    total: totalOf(cost),
    response_latencies_ms: record.turnMetrics.flatMap(({ response_latency_ms: ms }) => ms ?? []),
    turn_stages: storedStages(record.turnMetrics),
    ...NOT_METERED,
    ...(isTestSession(call) ? { test_session: true } : {}),
  };
}
