import type { Clock } from '@voice/shared/clock/clock';
import {
  type CallEvent,
  callEvent,
  type EventBatchReply,
  MEDIA_STREAM_MISSING,
} from '@voice/shared/contracts/call-events';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { z } from 'zod';
import { GatheredInserts } from '../../platform/store/gathered-inserts.js';
import { ReadsByKey } from '../../platform/store/reads-by-key.js';
import type { TenantKey } from '../../platform/store/tenant-scope.js';
import type { WorkerCommands } from '../../workers/commands.js';
import type { CallEnding, End } from '../ending/call-ending.js';
import { applyChange, recordOnce } from '../record/call-changes.js';
import { type CallEventDocument, type CallEventModel, callEventId } from '../record/call-event-model.js';
import type { CallEventPublisher } from '../record/call-event-publisher.js';
import { type AgentHandoff, HANDOFF_ENTRY, handoffEntryData } from '../record/call-speakers.js';
import { eventsIn, FOLD_AFTER_MS, type ReadArchived } from '../record/folded-events.js';
import { gatheredCalls } from '../record/gathered-calls.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';

/** A batch whose events are judged one by one: one that is malformed must not hold up the rest. */
export const looseEventBatch = z.object({
  worker_id: z.string().min(1).max(128),
  events: z.array(z.unknown()).min(1).max(1000),
});

/** Events that move the call itself; all others are read from the store when somebody asks. */
const MILESTONES: readonly CallEvent['kind'][] = [
  'media_started',
  'ended',
  'transfer_requested',
  'agent_handoff',
];
/** Those that are also applied where only the store remembers them. */
const SETTLED: readonly CallEvent['kind'][] = ['media_started', 'ended', 'agent_handoff'];

type Milestone = Extract<CallEvent, { kind: 'media_started' | 'ended' }>;

export interface EventIntakeOptions {
  readonly calls: CallModel;
  readonly events: CallEventModel;
  readonly ending: CallEnding;
  readonly commands: WorkerCommands;
  readonly eventPublisher: CallEventPublisher;
  /** Runs for each event when it is stored; what it makes of the event must be stored when it resolves. */
  readonly onStored: (call: CallDocument, event: CallEvent) => Promise<void>;
  readonly transfers: AgentTransfers;
  readonly readArchived: ReadArchived;
  readonly clock: Clock;
  readonly log: Log;
}

type TransferRequested = Extract<CallEvent, { kind: 'transfer_requested' }>;

/** What the intake needs of transfers. */
export interface AgentTransfers {
  /** Writes the agent's wish down before it returns; the rest goes on without it. */
  request(call: CallDocument, wish: TransferRequested): Promise<void>;
  callerOf(call: TenantKey): Promise<Caller>;
}

/** With the agent; maybe on the way to somebody else, which the carrier has yet to say; or with somebody else. */
export type Caller = 'here' | 'on_the_way' | 'brought_over';

/**
 * Takes in the workers' numbered events. An event is stored under its call and number before anything is
 * made of it, and what is made of it can be made again: whatever dies in between, the worker sends the
 * batch once more and nothing is lost or counted twice.
 */
export class EventIntake {
  readonly #options: EventIntakeOptions;
  readonly #inserts: GatheredInserts<CallEventDocument>;
  readonly #stored: ReadsByKey<
    CallEventDocument,
    'call_id',
    'tenant_id' | 'seq' | 'kind' | 'at' | 'body' | 'folded' | 'archived'
  >;

  constructor(options: EventIntakeOptions) {
    this.#options = options;
    this.#inserts = new GatheredInserts(options.events);
    this.#stored = new ReadsByKey({
      model: options.events,
      key: 'call_id',
      fields: ['tenant_id', 'seq', 'kind', 'at', 'body', 'folded', 'archived'],
      sort: { seq: 1 },
    });
  }

  async accept(batch: z.infer<typeof looseEventBatch>): Promise<EventBatchReply> {
    const { log } = this.#options;
    const rejected: EventBatchReply['rejected'] = [];
    const wellFormed: CallEvent[] = [];
    for (const raw of batch.events) {
      const parsed = callEvent.safeParse(raw);
      if (parsed.success) wellFormed.push(parsed.data);
      else rejected.push({ ...nameOf(raw), code: 'malformed_event' });
    }
    const calls = await this.#callsOf(wellFormed);
    const known = wellFormed.filter((event) => calls.has(event.call_id));
    for (const event of wellFormed) {
      if (!calls.has(event.call_id)) {
        rejected.push({ call_id: event.call_id, seq: event.seq, code: 'call_not_found' });
      }
    }
    // What comes late of a call that is erased, or in which what was said is, is taken, so that its worker has done with
    // it, and not kept; nor is the end of a place that the call has not got.
    const kept = known.filter((event) => {
      const { erasing_at, transcript_erased_at, worker_id } = calls.get(event.call_id)!;
      if (erasing_at || transcript_erased_at) return false;
      return !endsEmptyPlace(event) || worker_id === batch.worker_id;
    });
    await this.#store(kept, calls);
    for (const event of kept) await this.#options.onStored(calls.get(event.call_id)!, event);
    for (const callId of new Set(
      kept.filter(({ kind }) => MILESTONES.includes(kind)).map((e) => e.call_id),
    )) {
      const call = calls.get(callId)!;
      await this.#applyMilestones(
        call,
        kept.filter((event) => event.call_id === callId),
      );
    }
    if (rejected.length > 0) log.warn({ worker_id: batch.worker_id, rejected }, 'events rejected');
    return { accepted: known.map(({ call_id, seq }) => ({ call_id, seq })), rejected };
  }

  /**
   * Makes sure that the stored events of a call have had their effect: for a sweep that finds it still live. Returns
   * when the worker last said something of the call, epoch ms; null when it never did.
   */
  async settle(call: CallDocument): Promise<number | null> {
    const stored = await this.#stored.get(call.tenant_id, call._id);
    const settled = stored.filter(({ kind }) => SETTLED.some((other) => other === kind));
    await this.#applyMilestones(
      call,
      settled.map(({ body }) => callEvent.parse(JSON.parse(body))),
    );
    return stored.at(-1)?.at?.getTime() ?? null;
  }

  /** Returns all stored events of a call, by their numbers. They were held against their schema when they were stored. */
  async eventsOf(tenant: TenantId, callId: string): Promise<CallEvent[]> {
    return eventsIn(await this.#stored.get(tenant, callId), this.#options.readArchived);
  }

  async #callsOf(events: readonly CallEvent[]): Promise<Map<string, CallDocument>> {
    const { reads } = gatheredCalls(this.#options.calls);
    const ids = [...new Set(events.map(({ call_id }) => call_id))];
    const found = await Promise.all(ids.map((id) => reads.getOfAnyTenant(id)));
    return new Map(found.flatMap((call) => (call ? [[call._id, call]] : [])));
  }

  async #store(events: readonly CallEvent[], calls: ReadonlyMap<string, CallDocument>): Promise<void> {
    if (events.length === 0) return;
    const now = new Date(this.#options.clock.now());
    const documents = events.map((event) => ({
      _id: callEventId(event.call_id, event.seq),
      tenant_id: calls.get(event.call_id)!.tenant_id,
      call_id: event.call_id,
      seq: event.seq,
      kind: event.kind,
      at: new Date(event.at),
      received_at: now,
      body: JSON.stringify(event),
    }));
    await Promise.all(documents.map((document) => this.#inserts.insert(document)));
    // What comes after the others were folded is folded, too.
    const late = new Set(documents.map(({ call_id }) => call_id).filter((id) => calls.get(id)?.folded_at));
    for (const _id of late) {
      await this.#options.calls.updateOne(
        { _id, tenant_id: calls.get(_id)!.tenant_id },
        { $set: { fold_due_at: new Date(now.getTime() + FOLD_AFTER_MS) } },
      );
    }
  }

  async #applyMilestones(call: CallDocument, events: readonly CallEvent[]): Promise<void> {
    for (const event of [...events].sort((a, b) => a.seq - b.seq)) {
      if (event.kind === 'media_started' || event.kind === 'ended') await this.#applyMilestone(call, event);
      if (event.kind === 'agent_handoff') await this.#recordHandoff(call, event);
      if (event.kind === 'transfer_requested') await this.#options.transfers.request(call, event);
    }
  }

  async #recordHandoff(call: CallDocument, event: AgentHandoff): Promise<void> {
    await recordOnce(this.#options.calls, tenantOf(call), call._id, {
      name: `handoff:${event.seq}`,
      type: HANDOFF_ENTRY,
      at: event.at,
      data: handoffEntryData(event),
    });
  }

  async #applyMilestone(call: CallDocument, event: Milestone): Promise<void> {
    const { calls, ending, eventPublisher, clock } = this.#options;
    const tenant = tenantOf(call);
    if (event.kind === 'media_started') {
      await gatheredCalls(calls).notes.make(
        { _id: call._id, tenant_id: tenant, media_started_at: null },
        { $set: { media_started_at: new Date(event.at) } },
      );
      const started = await applyChange(
        calls,
        tenant,
        call._id,
        { to: 'IN_PROGRESS', at: event.at, cause: 'media_started' },
        clock.now(),
        call,
      );
      if (started?.applied) eventPublisher.soon(call);
      return;
    }
    // To the worker a caller who is brought over to somebody else looks like one who hangs up, and while a transfer is
    // being made one who hangs up looks like one who is brought over.
    const hungUp = event.end_reason === 'caller_hangup' || event.end_reason === 'transferred';
    const caller = hungUp ? await this.#options.transfers.callerOf(call) : 'here';
    // The end of the transfer decides, and then gives this event its effect (`settle`), or none.
    if (caller === 'on_the_way') return;
    const end: End = {
      to: 'ended',
      at: event.at,
      cause: 'worker',
      endReason: caller === 'brought_over' ? 'transferred' : hungUp ? 'caller_hangup' : event.end_reason,
      durationMs: event.duration_ms,
      errorCode: event.error_code,
      errorMessage: event.error_message,
      hasRecording: event.has_recording,
    };
    const ended = await ending.end(tenant, call._id, end, 'worker', call);
    if (ended && !ended.applied) await ending.correctLoss(tenant, call._id, end);
  }
}

/**
 * Whether a worker says that no media stream came to a place. Who took the place may have been killed before it said
 * so, and the call wait, or live, elsewhere.
 */
const endsEmptyPlace = (event: CallEvent): boolean =>
  event.kind === 'ended' && event.error_code === MEDIA_STREAM_MISSING;

function nameOf(raw: unknown): { call_id: string; seq: number } {
  const named = z.object({ call_id: z.string().catch(''), seq: z.number().int().catch(0) }).safeParse(raw);
  return named.success ? named.data : { call_id: '', seq: 0 };
}
