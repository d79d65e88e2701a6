import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { ModelTokens } from '../language-model/port.js';
import { totalOf } from '../platform/money/call-cost.js';
import type { RateTable } from '../platform/money/rates.js';
import { ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import { charge } from './charge.js';
import { costOfCall } from './cost-of-call.js';
import type { Ledger } from './ledger.js';
import { NOT_METERED, type UsageModel, type UsageRow } from './usage-model.js';
import { totalsOf, usedSegments } from './used-segments.js';

/** What a model was asked in a test session in text. */
export interface TextSessionUsage {
  /** The same for every repetition of what was asked. */
  readonly id: string;
  readonly agent: Pick<AgentSnapshot, 'voice_config' | 'fallback_voice_config'>;
  readonly tokens: ModelTokens;
}

export interface TextSessionChargesOptions {
  readonly usage: UsageModel;
  readonly ledger: Pick<Ledger, 'append'>;
  readonly rates: RateTable;
  readonly clock: Clock;
}

/** Charges what test sessions in text use of language models: in production as calls are, in the sandbox not. */
export class TextSessionCharges {
  readonly #options: TextSessionChargesOptions;

  constructor(options: TextSessionChargesOptions) {
    this.#options = options;
  }

  async charge(scope: TenantScope, { id, agent, tokens }: TextSessionUsage): Promise<void> {
    if (scope.sandbox || tokens.inputTokens + tokens.outputTokens === 0) return;
    const { usage, rates, clock } = this.#options;
    // The agent's own model, as it is for the analysis of a call.
    const used = usedSegments({ usage: null, agent, proxied: [], analysis: tokens });
    const cost = costOfCall(
      {
        sandbox: false,
        carrier: 'text',
        direction: 'inbound',
        toNumber: '',
        carrierPrice: null,
        durationMs: 0,
        used,
      },
      rates,
    );
    const row: Omit<UsageRow, '_id' | 'tenant_id' | 'sandbox'> = {
      ended_at: new Date(clock.now()),
      test_session: true,
      answered: true,
      duration_ms: 0,
      carrier_minutes: 0,
      ...totalsOf(used),
      cost,
      total: totalOf(cost),
      response_latencies_ms: [],
      ...NOT_METERED,
    };
    const record = await usage
      .findOneAndUpdate(
        { _id: id, ...ownedBy(scope) },
        { $setOnInsert: row },
        { upsert: true, returnDocument: 'after' },
      )
      .orFail()
      .lean<UsageRow>();
    await charge(this.#options.ledger, record);
  }
}
