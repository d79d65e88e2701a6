import type { CarrierName } from '@voice/shared/catalogue/carriers';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { TenantId } from '@voice/shared/ids/ids';
import type { AgentPreview, VoiceChange } from '../agents/agent-previews.js';
import { percentile } from '../calls/record/call-record.js';
import { type CallCost, presentCost } from '../platform/money/call-cost.js';
import { type MicroDollars, toUsd } from '../platform/money/micro-dollars.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import type { AgentEstimateQuery, AgentEstimateRequest, AgentEstimateResponse } from './schemas.js';

const MINUTE_MS = 60_000;
/** Calls that are measured. */
const LAST_CALLS = 50;
/** Who is taken to be called: a line like most of the US. */
const US_NUMBER = '+12125550142';

/** What some calls came to. */
interface MeasuredCalls {
  /** How many of them are charged. */
  readonly calls: number;
  readonly durationMs: number;
  readonly cost: MicroDollars;
  /** Of all their turns, in ms. */
  readonly responseLatenciesMs: readonly number[];
}

export interface AgentEstimatesOptions {
  /** Throws `agent_not_found`. */
  readonly agentOf: (
    tenant: TenantId,
    agentId: string,
  ) => Promise<{ readonly version: number; readonly snapshot: AgentSnapshot }>;
  /** The agent with a change that is not saved. Throws as `AgentPreviews` does. */
  readonly previewOf: (tenant: TenantId, agentId: string, change: VoiceChange) => Promise<AgentPreview>;
  /** What production calls go out by. */
  readonly carrier: CarrierName;
  readonly minuteCost: (call: {
    readonly agent: AgentSnapshot;
    readonly carrier: CarrierName;
    readonly direction: 'outbound';
    readonly toNumber: string;
  }) => CallCost;
  /** The ids of the agent's last calls that were held to their end, of these versions of it where they are given. */
  readonly lastCompleted: (
    scope: TenantScope,
    agentId: string,
    limit: number,
    versions?: readonly number[],
  ) => Promise<string[]>;
  readonly measured: (scope: TenantScope, callIds: readonly string[]) => Promise<MeasuredCalls>;
}

/** What an agent costs and how soon it answers: by the price lists, and by its own calls. */
export class AgentEstimates {
  readonly #options: AgentEstimatesOptions;

  constructor(options: AgentEstimatesOptions) {
    this.#options = options;
  }

  async of(
    scope: TenantScope,
    agentId: string,
    { to_number }: AgentEstimateQuery,
  ): Promise<AgentEstimateResponse> {
    const agent = await this.#options.agentOf(scope.tenant, agentId);
    return this.#estimate(scope, agentId, agent, to_number);
  }

  /** Estimates the agent with a change that is not saved, by its calls with the same providers and models. */
  async ofChange(
    scope: TenantScope,
    agentId: string,
    { to_number, ...change }: AgentEstimateRequest,
  ): Promise<AgentEstimateResponse> {
    const preview = await this.#options.previewOf(scope.tenant, agentId, change);
    return this.#estimate(scope, agentId, preview, to_number, preview.likeVersions);
  }

  async #estimate(
    scope: TenantScope,
    agentId: string,
    { version, snapshot }: Pick<AgentPreview, 'version' | 'snapshot'>,
    toNumber: string = US_NUMBER,
    versions?: readonly number[],
  ): Promise<AgentEstimateResponse> {
    const { carrier, minuteCost, lastCompleted, measured } = this.#options;
    const calls = await measured(scope, await lastCompleted(scope, agentId, LAST_CALLS, versions));
    return {
      agent_id: agentId,
      version,
      cost_per_minute: presentCost(minuteCost({ agent: snapshot, carrier, direction: 'outbound', toNumber })),
      measured: calls.calls === 0 ? null : presentMeasured(calls),
    };
  }
}

function presentMeasured({ calls, cost, durationMs, responseLatenciesMs }: MeasuredCalls) {
  return {
    calls,
    cost_per_minute: cost > 0 && durationMs > 0 ? toUsd(Math.round((cost * MINUTE_MS) / durationMs)) : null,
    response_latency_ms: {
      p50: percentile(responseLatenciesMs, 0.5),
      p95: percentile(responseLatenciesMs, 0.95),
    },
  };
}
