import { CARRIER_NAMES, type CarrierName } from '@voice/shared/catalogue/carriers';
import type { CallDirection, CallStatus, EndReason } from '@voice/shared/contracts/primitives';
import { CALL_STATUSES, END_REASONS } from '@voice/shared/contracts/primitives';
import { type Connection, type Model, Schema } from 'mongoose';
import type { CallCost } from '../../platform/money/call-cost.js';
import { declareCallIndexes } from './call-indexes.js';
import { PENDING_STATUS } from './pending-status.js';
import { TESTER_LINES, type TesterLine } from './test-sessions.js';

/** One entry of a call's timeline; also the seed of its webhook event, under the same id. */
export interface TimelineEntry {
  /** Derived from the call and what happened: the same whichever replica records it, and however often. */
  readonly id: string;
  readonly type: string;
  readonly at: Date;
  /** JSON text. */
  readonly data: string;
  /** Names the write that recorded it, where several may compete to; no other has the same. */
  readonly write?: string;
}

/** How far dialing came; what a dispatcher that takes over needs to know. */
type DispatchStage =
  /** Nobody has asked the carrier yet. */
  | 'waiting'
  /** A dispatcher is asking the carrier; whether it rings is not known before it answers. */
  | 'dialing'
  /** The carrier took the call. */
  | 'dialed';

interface RecordingInfo {
  readonly key: string;
  readonly size_bytes: number;
  readonly duration_ms: number | null;
  readonly stored_at: Date;
}

/** A call as stored. Opaque objects are JSON text: no operator, dollar or dot in them has a meaning. */
export interface CallDocument {
  _id: string;
  tenant_id: string;
  created_at: Date;
  updated_at: Date;
  agent_id: string;
  /** The version of the agent that the call began with; absent in calls from before agents had versions. */
  agent_version?: number;
  status: CallStatus;
  direction: CallDirection;
  from_number: string;
  to_number: string;
  sandbox: boolean;
  campaign_id: string | null;
  contact_id: string | null;
  /** Null for calls that no carrier is asked to dial; they cannot be dispatched. */
  compliance_check_id: string | null;

  /** The agent, variables rendered, frozen at creation and sealed (`frozen-agent.ts`). */
  agent_snapshot: string;
  /** The agents that the call was handed to, frozen when it was, and sealed (`call-handoffs.ts`); null without any. */
  handoffs?: string | null;
  disclosure: string | null;
  /** JSON objects as given by the tenant. */
  variables: string;
  metadata: string;

  /** `websocket`: a tester's own connection, no carrier. */
  carrier: CarrierName | TesterLine;
  carrier_call_id: string | null;
  /** When the carrier said that the call is over. */
  carrier_ended_at: Date | null;
  answered_by: string | null;
  worker_id: string | null;
  /** When the worker confirmed its place. */
  placed_at: Date | null;
  media_started_at: Date | null;

  dispatch_stage: DispatchStage;
  dispatch_lease_owner: string | null;
  /** Until then the owner alone dispatches; in the past when nobody does. */
  dispatch_lease_until: Date;
  /** Until then a place is looked for. */
  dispatch_deadline_at: Date;
  /** Until then the carrier must have reported how the dialing went. */
  ring_deadline_at: Date | null;
  hangup_requested_at: Date | null;

  queued_at: Date;
  ringing_at: Date | null;
  started_at: Date | null;
  ended_at: Date | null;
  duration_ms: number | null;
  end_reason: EndReason | null;
  outcome: string | null;
  summary: string | null;
  error_code: string | null;
  error_message: string | null;
  recording: RecordingInfo | null;
  /** Whether the worker announced a recording at the end; absent where it did not bring the end about. */
  recording_expected?: boolean;
  decision_log_key: string | null;
  /**
   * What preparing the call has used, which was given back without a media stream (`CallUsage` as JSON; `null` when
   * that was nothing). Absent until the worker was asked.
   */
  prepared_usage?: string;
  /** What was measured in the recording (`contracts/waveform.ts`), as JSON. */
  waveform?: string | null;
  transfer_in_progress: boolean;
  /** The transfer that holds the guard, or the last one that did. */
  transfer_id?: string | null;
  /** Published by `call-event-publisher.ts`; null when all events are known to be stored. */
  [PENDING_STATUS]: CallStatus | null;
  /** When to go on with publishing the call's end and what follows it; null while live, and when all is out. */
  publish_due_at?: Date | null;
  /** Until then the event of the end waits for its fields (`end-publisher.ts`). */
  end_held_until?: Date | null;
  /** What was published since the call's end, by name. */
  published?: string[];
  /** The latest time that a published event carries: those after it carry none that is earlier. */
  published_at?: Date | null;
  /** When the call's worker was found to be lost; null for all other calls. */
  lost_at?: Date | null;
  /**
   * Until then what a lost worker had spooled is waited for: nothing is published, charged, retried or analysed,
   * and an end from before the loss corrects the call. Null when the spool has come, and for all other calls.
   */
  spool_due_at?: Date | null;
  /** The agent's analysis settings as JSON, frozen at creation; without them the agent's current ones count. */
  analysis_settings?: string | null;
  /** What a minute is taken to cost until the call's cost is known, in micro-dollars; absent in older calls. */
  hold_per_minute?: number | null;
  /** What the carrier itself says that it charges, in micro-dollars; absent until it says so. */
  carrier_price?: number | null;
  /** In micro-dollars; absent until it is reckoned. */
  cost?: CallCost | null;
  /** When to go on with what happens after the call's end; null while it is live, and when all is done. */
  post_call_due_at?: Date | null;
  /** Steps that are done, by name. */
  post_call_done?: string[];
  /** How often the step that is next has failed. */
  post_call_attempts?: number;
  /** Tries of that step that have begun, each counted before it, and are not known to have ended. */
  post_call_unfinished?: number;
  post_call_lease_owner?: string | null;
  /** Until then the owner alone runs the steps. */
  post_call_lease_until?: Date;
  /** The batch that added the call to the sums of its day; absent until its post-call steps are through. */
  rollup_seq?: number;
  /** When its events are to be folded into one document; null while it is live, and when they are. */
  fold_due_at?: Date | null;
  folded_at?: Date | null;
  /** The object that the archive of the call is or will be, and the key that opens it, sealed; null before. */
  archive_key?: string | null;
  archive_secret?: string | null;
  /** Since when the archive has what is no longer here: agents, variables, events, the transcript's turns. */
  archived_at?: Date | null;
  /** When its erasure was asked for: from then on no answer shows what is to be erased, and nothing more is kept. */
  erasing_at?: Date | null;
  /** When to go on with the erasure; null for all other calls, and when nothing is left to erase. */
  erase_due_at?: Date | null;
  /** When by the tenant's settings its recording was erased, and what was said in it. */
  recording_erased_at?: Date | null;
  transcript_erased_at?: Date | null;
  /** When all that names or quotes a person was gone. */
  erased_at?: Date | null;
  timeline: TimelineEntry[];
}

export type CallModel = Model<CallDocument>;

const nullableDate = { type: Date, default: null };
const nullableString = { type: String, default: null };

const callSchema = new Schema<CallDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
    agent_id: { type: String, required: true },
    agent_version: Number,
    status: { type: String, enum: [...CALL_STATUSES], required: true },
    direction: { type: String, enum: ['inbound', 'outbound'], required: true },
    from_number: { type: String, required: true },
    to_number: { type: String, required: true },
    sandbox: { type: Boolean, required: true },
    campaign_id: nullableString,
    contact_id: nullableString,
    compliance_check_id: nullableString,
    agent_snapshot: { type: String, required: true },
    handoffs: nullableString,
    disclosure: nullableString,
    variables: { type: String, required: true },
    metadata: { type: String, required: true },
    carrier: { type: String, enum: [...CARRIER_NAMES, ...TESTER_LINES], required: true },
    carrier_call_id: nullableString,
    carrier_ended_at: nullableDate,
    answered_by: nullableString,
    worker_id: nullableString,
    placed_at: nullableDate,
    media_started_at: nullableDate,
    dispatch_stage: { type: String, enum: ['waiting', 'dialing', 'dialed'], required: true },
    dispatch_lease_owner: nullableString,
    dispatch_lease_until: { type: Date, required: true },
    dispatch_deadline_at: { type: Date, required: true },
    ring_deadline_at: nullableDate,
    hangup_requested_at: nullableDate,
    queued_at: { type: Date, required: true },
    ringing_at: nullableDate,
    started_at: nullableDate,
    ended_at: nullableDate,
    duration_ms: { type: Number, default: null },
    end_reason: { type: String, enum: [...END_REASONS, null], default: null },
    outcome: nullableString,
    summary: nullableString,
    error_code: nullableString,
    error_message: nullableString,
    recording: {
      type: new Schema<RecordingInfo>(
        { key: String, size_bytes: Number, duration_ms: { type: Number, default: null }, stored_at: Date },
        { _id: false },
      ),
      default: null,
    },
    recording_expected: Boolean,
    decision_log_key: nullableString,
    prepared_usage: String,
    waveform: nullableString,
    transfer_in_progress: { type: Boolean, default: false },
    transfer_id: nullableString,
    [PENDING_STATUS]: nullableString,
    publish_due_at: nullableDate,
    end_held_until: nullableDate,
    published: { type: [String], default: [] },
    published_at: nullableDate,
    lost_at: nullableDate,
    spool_due_at: nullableDate,
    analysis_settings: nullableString,
    hold_per_minute: Number,
    carrier_price: Number,
    cost: {
      type: new Schema<CallCost>(
        { stt: Number, llm: Number, tts: Number, carrier: Number, service: Number, wasted: Number },
        { _id: false },
      ),
      default: null,
    },
    post_call_due_at: nullableDate,
    post_call_done: { type: [String], default: [] },
    post_call_attempts: { type: Number, default: 0 },
    post_call_unfinished: { type: Number, default: 0 },
    post_call_lease_owner: nullableString,
    post_call_lease_until: { type: Date, default: () => new Date(0) },
    rollup_seq: Number,
    fold_due_at: Date,
    folded_at: Date,
    archive_key: String,
    archive_secret: String,
    archived_at: Date,
    erasing_at: Date,
    erase_due_at: Date,
    recording_erased_at: Date,
    transcript_erased_at: Date,
    erased_at: Date,
    timeline: {
      type: [
        new Schema<TimelineEntry>(
          { id: String, type: String, at: Date, data: String, write: String },
          { _id: false },
        ),
      ],
      default: [],
    },
  },
  { versionKey: false, strict: 'throw' },
);

declareCallIndexes(callSchema);

export function callModel(connection: Connection): CallModel {
  return connection.model<CallDocument>('Call', callSchema, 'calls');
}
