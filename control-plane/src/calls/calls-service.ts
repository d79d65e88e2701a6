import type { Clock } from '@voice/shared/clock/clock';
import {
  CALL_DIRECTIONS,
  CALL_STATUSES,
  type CallDirection,
  type CallStatus,
} from '@voice/shared/contracts/primitives';
import type { mongo } from 'mongoose';
import { apiError } from '../platform/http/error-codes.js';
import { after, type CursorCodec, NEWEST_FIRST, pageOf } from '../platform/http/pagination.js';
import { totalOf } from '../platform/http/totals.js';
import { only } from '../platform/store/projections.js';
import { ReadsByTenantAndId } from '../platform/store/reads-by-id.js';
import { rowsOf } from '../platform/store/rows-of.js';
import { sharedReads } from '../platform/store/shared-reads.js';
import { isOwnedBy, ownedBy, scopeName, scopeOf, type TenantScope } from '../platform/store/tenant-scope.js';
import type { CallArchive } from './archive/call-archive.js';
import { asShown } from './erasure/erased-fields.js';
import type { RecordingUrls } from './post-call/recording-urls.js';
import type { AnalysisModel, AnalysisRow } from './record/analysis-model.js';
import { presentAnalysis } from './record/analysis-presenter.js';
import { TEST_SESSION_INDEX } from './record/call-indexes.js';
import { recordOf, stagePercentiles, withTransferOutcome } from './record/call-record.js';
import { speakersOf } from './record/call-speakers.js';
import { isTerminal } from './record/call-state.js';
import { measuredTurns, readWaveform } from './record/measured-turns.js';
import type { CallDocument, CallModel, TimelineEntry } from './record/model.js';
import { presentCall, SHOWN_FIELDS, type ShownCall } from './record/presenter.js';
import type { CallDetailResponse, CallListResponse, CallResponse, TimelineEvent } from './record/schemas.js';
import { NO_TEST_SESSIONS, TESTER_LINES } from './record/test-sessions.js';
import type { TranscriptModel } from './record/transcript-model.js';
import { TranscriptSearch } from './transcript-search.js';
import type { EventIntake } from './worker-events/event-intake.js';

/** What no answer shows: not read for a call in full, which also shows `timeline` and `waveform`. */
const NEVER_SHOWN = [
  'agent_snapshot',
  'analysis_settings',
  'archive_secret',
  'handoffs',
  'variables',
] as const;
const SHOWN = only(SHOWN_FIELDS);

export interface CallListQuery {
  readonly cursor?: string;
  readonly offset: number;
  readonly limit: number;
  readonly status?: CallStatus;
  readonly direction?: CallDirection;
  readonly agent_id?: string;
  /** Words that were said. */
  readonly q?: string;
  readonly include_total?: boolean;
}

interface CallsServiceOptions {
  readonly calls: CallModel;
  readonly intake: EventIntake;
  readonly cursors: CursorCodec;
  readonly recordings: RecordingUrls;
  readonly analyses: AnalysisModel;
  readonly transcripts: TranscriptModel;
  readonly archive: Pick<CallArchive, 'turnsOf'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Reads calls for their tenant, those of one mode at a time. */
export class CallsService {
  readonly #options: CallsServiceOptions;
  readonly #rows: mongo.Collection<ShownCall>;
  readonly #shown: ReadsByTenantAndId<CallDocument, ShownCall>;
  readonly #inFull: ReadsByTenantAndId<CallDocument>;
  readonly #whole: ReadsByTenantAndId<CallDocument>;
  /** How many test sessions a filter lets through: few, and in indexes of their own. */
  readonly #countTestSessions: (filter: object) => Promise<number>;
  readonly #analyses: ReadsByTenantAndId<AnalysisRow>;
  readonly #search: TranscriptSearch;

  constructor(options: CallsServiceOptions) {
    this.#options = options;
    // The driver itself: a list is as many documents as a page has, and mongoose adds nothing to them.
    this.#rows = rowsOf<ShownCall>(options.calls);
    this.#shown = new ReadsByTenantAndId<CallDocument, ShownCall>(options.calls, { only: SHOWN_FIELDS });
    this.#inFull = new ReadsByTenantAndId(options.calls, NEVER_SHOWN);
    this.#whole = new ReadsByTenantAndId(options.calls);
    this.#countTestSessions = sharedReads(
      (filter) => JSON.stringify(filter),
      async (filter) => {
        const counts = TESTER_LINES.map((carrier) =>
          options.calls.countDocuments({ ...filter, carrier }, { hint: TEST_SESSION_INDEX[carrier] }).exec(),
        );
        return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
      },
    );
    this.#analyses = new ReadsByTenantAndId(options.analyses);
    this.#search = new TranscriptSearch(options);
  }

  async list(scope: TenantScope, query: CallListQuery): Promise<CallListResponse> {
    const list = `calls/${scopeName(scope)}`;
    const filter = { ...ownedBy(scope), ...indexedFilter(query) };
    const byCursor = query.cursor !== undefined;
    const place = byCursor ? after(this.#options.cursors.decode(list, query.cursor!)) : {};
    const counting = () => totalOf(query.include_total === true, (limit) => this.#count(filter, limit));
    if (query.q !== undefined) {
      const search = this.#found(scope, { ...query, q: query.q }, { ...filter, ...place });
      const [found, total] = await Promise.all([search, counting()]);
      return { ...found, ...total };
    }
    const [rows, total] = await Promise.all([
      this.#rows
        .find(
          { ...filter, ...place, ...NO_TEST_SESSIONS },
          {
            projection: SHOWN,
            sort: NEWEST_FIRST,
            skip: byCursor ? 0 : query.offset,
            limit: query.limit + 1,
          },
        )
        .toArray(),
      counting(),
    ]);
    const page = pageOf(rows, query.limit, (position) => this.#options.cursors.encode(list, position));
    return {
      calls: page.rows.map((call) => this.#present(call)),
      ...total,
      has_more: page.has_more,
      next_cursor: page.next_cursor,
    };
  }

  /** A page of calls in which something was said. */
  async #found(
    scope: TenantScope,
    { q, limit, cursor, offset }: CallListQuery & { readonly q: string },
    filter: object,
  ): Promise<CallListResponse> {
    const { matches, lookedThrough, unreadable, last } = await this.#search.find(
      scope.tenant,
      { ...filter, ...NO_TEST_SESSIONS },
      { q, limit, skip: cursor === undefined ? offset : 0 },
    );
    const rows = new Map(
      (
        await this.#rows
          .find(
            { ...ownedBy(scope), _id: { $in: matches.map(({ call_id }) => call_id) } },
            { projection: SHOWN },
          )
          .toArray()
      ).map((row) => [row._id, row]),
    );
    // Reading archives takes a while: what is being erased by now is not shown.
    const shown = matches.flatMap((match) => {
      const row = rows.get(match.call_id);
      return row && !row.erasing_at ? [{ match, row }] : [];
    });
    return {
      calls: shown.map(({ row }) => this.#present(row)),
      matches: shown.map(({ match }) => match),
      search: { looked_through: lookedThrough, unreadable },
      has_more: last !== null,
      next_cursor: last && this.#options.cursors.encode(`calls/${scopeName(scope)}`, last),
    };
  }

  /** Two counts of index entries alone take less than one that has to look into every call. */
  async #count(filter: object, limit: number): Promise<number> {
    const testSessions = await this.#countTestSessions(filter);
    return (await this.#options.calls.countDocuments(filter, { limit: limit + testSessions })) - testSessions;
  }

  /** Whose call it is and in which mode, for the operator; null for none. */
  async ownerOf(callId: string): Promise<TenantScope | null> {
    const call = await this.#options.calls
      .findOne({ _id: callId }, { tenant_id: 1, sandbox: 1 })
      .lean<Pick<CallDocument, 'tenant_id' | 'sandbox'>>();
    return call && scopeOf(call);
  }

  async get(scope: TenantScope, callId: string): Promise<CallResponse> {
    return this.#present(owned(scope, await this.#shown.get(scope.tenant, callId)));
  }

  async detail(scope: TenantScope, callId: string): Promise<CallDetailResponse> {
    const [stored, events] = await Promise.all([
      this.#inFull.get(scope.tenant, callId),
      this.#options.intake.eventsOf(scope.tenant, callId),
    ]);
    const call = owned(scope, stored);
    // While a call is live there is none: those who follow one look many times.
    const analysis = isTerminal(call.status) ? await this.#analyses.get(scope.tenant, callId) : null;
    const record = recordOf(call.erasing_at ? [] : events);
    const turns = measuredTurns(record.turnMetrics, readWaveform(call.waveform));
    return {
      ...this.#present(call),
      agents: speakersOf(call),
      transcript: record.transcript,
      tool_executions: withTransferOutcome(record.toolExecutions, events, call.end_reason),
      metrics: {
        turns,
        p50: stagePercentiles(turns, 0.5),
        p95: stagePercentiles(turns, 0.95),
        line: record.line,
      },
      usage: record.usage,
      analysis: analysis && !call.erasing_at && isOwnedBy(scope, analysis) ? presentAnalysis(analysis) : null,
      events: inOrder([...call.timeline.map(shown), ...record.timeline]),
    };
  }

  /** Throws 404 `recording_not_found` while there is none. */
  async recording(scope: TenantScope, callId: string) {
    const call = await this.require(scope, callId);
    const address = call.recording && (await this.#options.recordings.address(callId, call.recording.key));
    if (!call.recording || !address) throw apiError('recording_not_found');
    const { url, expiresAt } = address;
    return {
      recording_url: url,
      url,
      expires_at: expiresAt.toISOString(),
      duration_ms: call.recording.duration_ms,
    };
  }

  #present(call: ShownCall): CallResponse {
    return presentCall(asShown(call), ({ _id, recording }) =>
      recording ? this.#options.recordings.sign(_id).url : null,
    );
  }

  /** Reads all of a call. Throws 404 `call_not_found`. */
  async require(scope: TenantScope, callId: string): Promise<CallDocument> {
    return asShown(owned(scope, await this.#whole.get(scope.tenant, callId)));
  }
}

/** Throws 404 `call_not_found` for a call that is another's, or in the other mode. */
function owned<Call extends Pick<CallDocument, 'tenant_id' | 'sandbox'>>(
  scope: TenantScope,
  call: Call | null,
): Call {
  if (call === null || !isOwnedBy(scope, call)) throw apiError('call_not_found');
  return call;
}

/**
 * Returns the filter of a list, with every value of a field that it leaves out and that comes before others in an index:
 * stores read the values side by side, so that a page of any filter reads a page.
 */
function indexedFilter({ status, direction, agent_id }: CallListQuery) {
  if (status === undefined && direction === undefined && agent_id === undefined) return {};
  return {
    ...(agent_id === undefined ? {} : { agent_id }),
    status: status ?? { $in: [...CALL_STATUSES] },
    direction: direction ?? { $in: [...CALL_DIRECTIONS] },
  };
}

function shown(entry: TimelineEntry): TimelineEvent {
  return {
    id: entry.id,
    type: entry.type,
    at: entry.at.toISOString(),
    data: JSON.parse(entry.data) as Record<string, unknown>,
  };
}

/** Sorts by time; entries of the same millisecond stay as they were recorded. */
function inOrder(entries: TimelineEvent[]): TimelineEvent[] {
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}
