import type { CallDirection, CallStatus } from '@voice/shared/contracts/primitives';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import { apiError } from '../http/error-codes.js';
import { after, type CursorCodec, NEWEST_FIRST, pageOf } from '../http/pagination.js';
import type { AnalysisModel, AnalysisRow } from '../post-call/analysis-model.js';
import { presentAnalysis } from '../post-call/analysis-presenter.js';
import type { RecordingUrls } from '../post-call/recording-urls.js';
import { ReadsById } from '../store/reads-by-id.js';
import { sharedReads } from '../store/shared-reads.js';
import { recordOf, stagePercentiles } from './call-record.js';
import type { EventIntake } from './event-intake.js';
import type { CallDocument, CallModel, TimelineEntry } from './model.js';
import { presentCall } from './presenter.js';
import type { CallDetailResponse, CallListResponse, CallResponse, TimelineEvent } from './schemas.js';
import { NO_TEST_SESSIONS, TEST_SESSIONS } from './test-sessions.js';

/** What no answer shows: not read for it. */
const NOT_SHOWN = ['agent_snapshot', 'analysis_settings', 'timeline', 'variables'] as const;

export interface CallListQuery {
  readonly cursor?: string;
  readonly offset: number;
  readonly limit: number;
  readonly status?: CallStatus;
  readonly direction?: CallDirection;
  readonly agent_id?: string;
}

/** Reads calls for their tenant. */
export class CallsService {
  readonly #calls: CallModel;
  readonly #shown: ReadsById<CallDocument>;
  /** How many test sessions a filter lets through: few, and in an index of their own. */
  readonly #countTestSessions: (filter: object) => Promise<number>;
  readonly #intake: EventIntake;
  readonly #cursors: CursorCodec;
  readonly #recordings: RecordingUrls;
  readonly #analyses: AnalysisModel;

  constructor(options: {
    readonly calls: CallModel;
    readonly intake: EventIntake;
    readonly cursors: CursorCodec;
    readonly recordings: RecordingUrls;
    readonly analyses: AnalysisModel;
  }) {
    this.#calls = options.calls;
    this.#shown = new ReadsById(options.calls, NOT_SHOWN);
    this.#countTestSessions = sharedReads(
      (filter) => JSON.stringify(filter),
      (filter) =>
        options.calls
          .countDocuments({ ...filter, ...TEST_SESSIONS }, { hint: { tenant_id: 1, carrier: 1 } })
          .exec(),
    );
    this.#intake = options.intake;
    this.#cursors = options.cursors;
    this.#recordings = options.recordings;
    this.#analyses = options.analyses;
  }

  async list(tenant: TenantId, query: CallListQuery): Promise<CallListResponse> {
    const scope = `calls/${tenant}`;
    const filter = {
      tenant_id: tenant,
      ...(query.status === undefined ? {} : { status: query.status }),
      ...(query.direction === undefined ? {} : { direction: query.direction }),
      ...(query.agent_id === undefined ? {} : { agent_id: query.agent_id }),
    };
    const byCursor = query.cursor !== undefined;
    const place = byCursor ? after(this.#cursors.decode(scope, query.cursor!)) : {};
    const [rows, total] = await Promise.all([
      this.#calls
        .find(
          { ...filter, ...place, ...NO_TEST_SESSIONS },
          Object.fromEntries(NOT_SHOWN.map((field) => [field, 0])),
        )
        .sort(NEWEST_FIRST)
        .skip(byCursor ? 0 : query.offset)
        .limit(query.limit + 1)
        .lean<CallDocument[]>(),
      byCursor ? undefined : this.#count(filter),
    ]);
    const page = pageOf(rows, query.limit, (position) => this.#cursors.encode(scope, position));
    return {
      calls: page.rows.map((call) => this.#present(call)),
      ...(total === undefined ? {} : { total }),
      has_more: page.has_more,
      next_cursor: page.next_cursor,
    };
  }

  /** Two counts of index entries alone take less than one that has to look into every call. */
  async #count(filter: object): Promise<number> {
    const [all, testSessions] = await Promise.all([
      this.#calls.countDocuments(filter),
      this.#countTestSessions(filter),
    ]);
    return all - testSessions;
  }

  /** Whose call it is, for the operator; null for none. */
  async tenantOf(callId: string): Promise<TenantId | null> {
    const call = await this.#calls
      .findOne({ _id: callId }, { tenant_id: 1 })
      .lean<Pick<CallDocument, 'tenant_id'>>();
    return call && asTenantId(call.tenant_id);
  }

  async get(tenant: TenantId, callId: string): Promise<CallResponse> {
    const call = await this.#shown.get(callId);
    if (call?.tenant_id !== tenant) throw apiError('call_not_found');
    return this.#present(call);
  }

  async detail(tenant: TenantId, callId: string): Promise<CallDetailResponse> {
    const [call, events, analysis] = await Promise.all([
      this.require(tenant, callId),
      this.#intake.eventsOf(tenant, callId),
      this.#analyses.findOne({ _id: callId, tenant_id: tenant }).lean<AnalysisRow>(),
    ]);
    const record = recordOf(events);
    return {
      ...this.#present(call),
      transcript: record.transcript,
      tool_executions: record.toolExecutions,
      metrics: {
        turns: record.turnMetrics,
        p50: stagePercentiles(record.turnMetrics, 0.5),
        p95: stagePercentiles(record.turnMetrics, 0.95),
      },
      analysis: analysis ? presentAnalysis(analysis) : null,
      events: inOrder([...call.timeline.map(shown), ...record.timeline]),
    };
  }

  /** Throws 404 `recording_not_found` while there is none. */
  async recording(tenant: TenantId, callId: string) {
    const call = await this.require(tenant, callId);
    const address = call.recording && (await this.#recordings.address(callId, call.recording.key));
    if (!call.recording || !address) throw apiError('recording_not_found');
    const { url, expiresAt } = address;
    return {
      recording_url: url,
      url,
      expires_at: expiresAt.toISOString(),
      duration_ms: call.recording.duration_ms,
    };
  }

  #present(call: CallDocument): CallResponse {
    return presentCall(call, ({ _id, recording }) => (recording ? this.#recordings.sign(_id).url : null));
  }

  /** Throws 404 `call_not_found`. */
  async require(tenant: TenantId, callId: string): Promise<CallDocument> {
    const call = await this.#calls.findOne({ _id: callId, tenant_id: tenant }).lean<CallDocument>();
    if (!call) throw apiError('call_not_found');
    return call;
  }
}

function shown(entry: TimelineEntry): TimelineEvent {
  return {
    id: entry.id,
    type: entry.type,
    at: entry.at.toISOString(),
    data: JSON.parse(entry.data) as Record<string, unknown>,
  };
}

/** By time; entries of the same millisecond stay as they were recorded. */
function inOrder(entries: TimelineEvent[]): TimelineEvent[] {
  return entries.sort((a, b) => a.at.localeCompare(b.at));
}
