import type { CarrierName } from '@voice/shared/catalogue/carriers';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { TenantId } from '@voice/shared/ids/ids';
import type { AgentPreview, VoiceChange } from '../agents/agent-previews.js';
import { percentile } from '../calls/record/call-record.js';
import type { TurnStages } from '../calls/turn-stages.js';
import { type CallCost, presentCost } from '../platform/money/call-cost.js';
import { type MicroDollars, toUsd } from '../platform/money/micro-dollars.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import { type ExpectedLatency, expectedLatency } from './latency/expected-latency.js';
import type { AgentEstimateQuery, AgentEstimateRequest, AgentEstimateResponse } from './schemas.js';

const MINUTE_MS = 60_000;
/** Calls that are measured. */
const LAST_CALLS = 50;
/** Who is taken to be called: a line like most of the US. */
const US_NUMBER = '+12125550142';

/** What a call came to, where it is charged. */
interface MeasuredCall {
  readonly id: string;
  readonly durationMs: number;
  readonly cost: MicroDollars;
  /** Of all its turns, in ms. */
  readonly responseLatenciesMs: readonly number[];
  readonly turns: readonly TurnStages[];
}

export interface AgentEstimatesOptions {
  /** The agent, with a change that is not saved. Throws as `AgentPreviews` does. */
  readonly previewOf: (tenant: TenantId, agentId: string, change: VoiceChange) => Promise<AgentPreview>;
  /** What production calls go out by. */
  readonly carrier: CarrierName;
  readonly minuteCost: (call: {
    readonly agent: AgentSnapshot;
    readonly carrier: CarrierName;
    readonly direction: 'outbound';
    readonly toNumber: string;
  }) => CallCost;
  /** The agent's last calls that were held to their end, of these versions of it where they are given. */
  readonly lastCompleted: (
    scope: TenantScope,
    agentId: string,
    limit: number,
    versions?: readonly number[],
  ) => Promise<readonly { readonly id: string; readonly version: number }[]>;
  readonly measured: (scope: TenantScope, callIds: readonly string[]) => Promise<readonly MeasuredCall[]>;
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
    const agent = await this.#options.previewOf(scope.tenant, agentId, { voice_config: {} });
    return this.#estimate(scope, agentId, agent, to_number);
  }

  /** Estimates the agent with a change that is not saved, by its calls with the same providers and models. */
  async ofChange(
    scope: TenantScope,
    agentId: string,
    { to_number, ...change }: AgentEstimateRequest,
  ): Promise<AgentEstimateResponse> {
    const preview = await this.#options.previewOf(scope.tenant, agentId, change);
    const like = preview.likeVersions.map(({ version }) => version);
    return this.#estimate(scope, agentId, preview, to_number, like);
  }

  async #estimate(
    scope: TenantScope,
    agentId: string,
    { version, snapshot, likeVersions }: AgentPreview,
    toNumber: string = US_NUMBER,
    versions?: readonly number[],
  ): Promise<AgentEstimateResponse> {
    const { carrier, minuteCost, lastCompleted, measured } = this.#options;
    const completed = await lastCompleted(scope, agentId, LAST_CALLS, versions);
    const calls = await measured(
      scope,
      completed.map(({ id }) => id),
    );
    const versionOf = new Map(completed.map((call) => [call.id, call.version]));
    const settingsOf = new Map(likeVersions.map((like) => [like.version, like.turnTaking]));
    const held = calls.flatMap(({ id, turns }) => {
      const settings = settingsOf.get(versionOf.get(id) ?? 0);
      return settings === undefined ? [] : turns.map((turn) => ({ ...turn, settings }));
    });
    return {
      agent_id: agentId,
      version,
      cost_per_minute: presentCost(minuteCost({ agent: snapshot, carrier, direction: 'outbound', toNumber })),
      expected_latency: presentExpected(expectedLatency(snapshot, held)),
      measured: calls.length === 0 ? null : presentMeasured(calls),
    };
  }
}

function presentExpected(expected: ExpectedLatency): AgentEstimateResponse['expected_latency'] {
  return {
    response_latency_ms: expected.responseMs,
    in_doubt_latency_ms: expected.inDoubtMs,
    is_at_least: expected.isAtLeast,
    basis: expected.basis,
    turns: expected.turns,
    parts: expected.parts.map(({ stage, ms, addsMs, source, basis }) => ({
      stage,
      takes_ms: ms === null ? null : Math.round(ms),
      adds_ms: Math.round(addsMs),
      source,
      basis,
    })),
  };
}

function presentMeasured(calls: readonly MeasuredCall[]): AgentEstimateResponse['measured'] {
  const sum = (of: (call: MeasuredCall) => number) => calls.reduce((total, call) => total + of(call), 0);
  const [cost, durationMs] = [sum((call) => call.cost), sum((call) => call.durationMs)];
  const latencies = calls.flatMap((call) => call.responseLatenciesMs);
  return {
    calls: calls.length,
    cost_per_minute: cost > 0 && durationMs > 0 ? toUsd(Math.round((cost * MINUTE_MS) / durationMs)) : null,
    response_latency_ms: { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95) },
  };
}
