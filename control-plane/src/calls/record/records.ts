import type { AgentTool } from '@voice/shared/contracts/agent';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { CALL_DIRECTIONS } from '@voice/shared/contracts/primitives';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { NEWEST_FIRST } from '../../platform/http/pagination.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { sharedReads } from '../../platform/store/shared-reads.js';
import { ownedBy, scopeName, scopeOf, type TenantScope } from '../../platform/store/tenant-scope.js';
import { type AnalysisModel, analysisModel } from './analysis-model.js';
import { type CallEventDocument, type CallEventModel, callEventModel } from './call-event-model.js';
import { openHandoffs } from './call-handoffs.js';
import { LIVE_STATUSES } from './call-state.js';
import { eventsIn, type ReadArchived } from './folded-events.js';
import { thawAgent } from './frozen-agent.js';
import { type CallDocument, type CallModel, callModel } from './model.js';
import { type TranscriptModel, transcriptModel } from './transcript-model.js';

/** Calls that a tenant may have at once. */
export const MAX_CONCURRENT_CALLS = 1000;
/** An agent's last calls that are looked through for those of some versions. */
const LOOKED_THROUGH = 500;

export interface CallRecordsOptions {
  readonly store: Connection;
  readonly secrets: SecretBox;
  readonly readArchived: ReadArchived;
}

/** Builds the model of each collection of calls, once, and answers what other rooms ask of them. */
export class CallRecords {
  readonly calls: CallModel;
  readonly events: CallEventModel;
  readonly analyses: AnalysisModel;
  readonly transcripts: TranscriptModel;
  readonly #secrets: SecretBox;
  readonly #readArchived: ReadArchived;

  constructor({ store, secrets, readArchived }: CallRecordsOptions) {
    this.calls = callModel(store);
    this.events = callEventModel(store);
    this.analyses = analysisModel(store);
    this.transcripts = transcriptModel(store);
    this.#secrets = secrets;
    this.#readArchived = readArchived;
  }

  /** Returns the stored events of a call after a number, in order; none of one that is being erased. */
  async eventsAfter(tenant: TenantId, callId: string, seq: number): Promise<CallEvent[]> {
    const isErasing = { _id: callId, tenant_id: tenant, erasing_at: { $gt: new Date(0) } };
    if (await this.calls.exists(isErasing)) return [];
    const stored = await this.events
      .find({ call_id: callId, tenant_id: tenant, seq: { $gt: seq } })
      .sort({ seq: 1 })
      .lean<CallEventDocument[]>();
    const events = await eventsIn(stored, this.#readArchived);
    return events.filter((event) => event.seq > seq);
  }

  /** Finds the tenant of a live call; null for any other call. */
  async liveCall(callId: string): Promise<{ tenantId: string } | null> {
    const call = await this.calls
      .findOne({ _id: callId, status: { $in: LIVE_STATUSES } }, { tenant_id: 1 })
      .lean<Pick<CallDocument, 'tenant_id'>>();
    return call && { tenantId: call.tenant_id };
  }

  /** Counts the tenant's calls of both modes, and those of them that are live. */
  async countOf(tenant: TenantId): Promise<{ readonly all: number; readonly live: number }> {
    const own = { tenant_id: tenant };
    const [all, live] = await Promise.all([
      this.calls.countDocuments(own).exec(),
      this.calls.countDocuments({ ...own, status: { $in: LIVE_STATUSES } }).exec(),
    ]);
    return { all, live };
  }

  /** Finds the tenant, the mode and the tools of a call, whichever of its agents has them; null for no such call. */
  async toolsOf(callId: string): Promise<(TenantScope & { readonly tools: readonly AgentTool[] }) | null> {
    const call = await this.calls.findById(callId).lean().exec();
    // An archived one ended days ago: no tool of it runs any more.
    if (!call || call.erasing_at || call.archived_at) return null;
    const agents = [thawAgent(this.#secrets, call)];
    for (const { agent } of openHandoffs(this.#secrets, call)) agents.push(agent);
    return { ...scopeOf(call), tools: agents.flatMap(({ tools }) => tools) };
  }

  /**
   * Finds the agent's last calls that were held to their end, the newest first, and the version that each was held with;
   * of some versions of it where they are named, among its last calls alone.
   */
  async lastCompleted(
    scope: TenantScope,
    agentId: string,
    limit: number,
    versions?: readonly number[],
  ): Promise<{ readonly id: string; readonly version: number }[]> {
    const found = await this.calls
      .find(
        {
          ...ownedBy(scope),
          agent_id: agentId,
          status: 'COMPLETED',
          // Every direction there is: named, so that the index has them in the order of the time.
          direction: { $in: [...CALL_DIRECTIONS] },
        },
        { _id: 1, agent_version: 1 },
      )
      .sort(NEWEST_FIRST)
      .limit(versions === undefined ? limit : Math.max(limit, LOOKED_THROUGH))
      .lean<Pick<CallDocument, '_id' | 'agent_version'>[]>();
    return found
      .map(({ _id: id, agent_version: version = 0 }) => ({ id, version }))
      .filter(({ version }) => versions?.includes(version) ?? true)
      .slice(0, limit);
  }

  /** Finds the checks, of those stored since `since`, that have a call by now. */
  async checksWithCall(scope: TenantScope, checkIds: readonly string[], since: Date): Promise<string[]> {
    const stored = await this.calls
      .find(
        { ...ownedBy(scope), created_at: { $gte: since }, compliance_check_id: { $in: checkIds } },
        { compliance_check_id: 1 },
      )
      .lean<Pick<CallDocument, 'compliance_check_id'>[]>();
    return stored.flatMap(({ compliance_check_id: id }) => id ?? []);
  }

  /** Counts the tenant's live calls of the mode, at most `MAX_CONCURRENT_CALLS`; questions at one time share a read. */
  readonly countLiveCalls = sharedReads(
    (scope: TenantScope) => scopeName(scope),
    // The driver itself: each new call asks.
    (scope: TenantScope) =>
      this.calls.collection.countDocuments(
        { ...ownedBy(scope), status: { $in: [...LIVE_STATUSES] } },
        { limit: MAX_CONCURRENT_CALLS },
      ),
  );
}
