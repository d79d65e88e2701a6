import type { IndexDefinition, IndexOptions } from 'mongoose';
import { PENDING_STATUS } from './pending-status.js';
import type { TesterLine } from './test-sessions.js';

/** A tenant's test sessions, which no list shows: an index a line, with nothing else in it. */
export const TEST_SESSION_INDEX = {
  websocket: { tenant_id: 1, sandbox: 1, carrier: 1 },
  webrtc: { carrier: 1, tenant_id: 1, sandbox: 1 },
} as const satisfies Record<TesterLine, Record<string, 1>>;

/** Declares the indexes of calls: of lists, of sweeps, of what is counted. */
export function declareCallIndexes(schema: {
  index(fields: IndexDefinition, options?: IndexOptions): unknown;
}): void {
  // A tenant's lists in a mode, newest first. Whatever the filters, one of the three has them all before the time: the
  // values of a field that is not filtered by are read side by side (`calls-service.ts`).
  schema.index({ tenant_id: 1, sandbox: 1, created_at: -1, _id: -1 });
  schema.index({ tenant_id: 1, sandbox: 1, status: 1, direction: 1, created_at: -1, _id: -1 });
  schema.index({ tenant_id: 1, sandbox: 1, agent_id: 1, status: 1, direction: 1, created_at: -1, _id: -1 });
  schema.index(TEST_SESSION_INDEX.websocket, { partialFilterExpression: { carrier: 'websocket' } });
  schema.index(TEST_SESSION_INDEX.webrtc, { partialFilterExpression: { carrier: 'webrtc' } });
  // What the sweeps ask: a worker's live calls, queued calls nobody dispatches, calls past a deadline. Ended calls are
  // in none of them. Those of before had the same fields and all calls: the names keep them apart.
  const liveOnly = { ended_at: null };
  schema.index({ worker_id: 1, status: 1 }, { partialFilterExpression: liveOnly });
  schema.index({ dispatch_lease_until: 1 }, { partialFilterExpression: { status: 'QUEUED' } });
  schema.index(
    { status: 1, ring_deadline_at: 1 },
    { name: 'live_ring_deadline', partialFilterExpression: liveOnly },
  );
  schema.index(
    { carrier_ended_at: 1 },
    { partialFilterExpression: { ended_at: null, carrier_ended_at: { $gte: new Date(0) } } },
  );
  schema.index({ carrier_call_id: 1 });
  schema.index({ tenant_id: 1, campaign_id: 1, created_at: -1, _id: -1 });
  // Whether a number has a live call, out or in; ended calls are not in them.
  schema.index({ tenant_id: 1, to_number: 1 }, { partialFilterExpression: { ended_at: null } });
  schema.index({ tenant_id: 1, from_number: 1 }, { partialFilterExpression: { ended_at: null } });
  // Calls with something left to do after a change or their end; nothing else is in them.
  schema.index(
    { [PENDING_STATUS]: 1 },
    { name: 'pending_status', partialFilterExpression: { [PENDING_STATUS]: { $gt: '' } } },
  );
  schema.index(
    { post_call_due_at: 1 },
    { name: 'post_call_due', partialFilterExpression: { post_call_due_at: { $gte: new Date(0) } } },
  );
  schema.index(
    { publish_due_at: 1 },
    { name: 'publish_due', partialFilterExpression: { publish_due_at: { $gte: new Date(0) } } },
  );
  // Calls that are over and not all published, by their campaign; lost calls, by their worker. Nothing else is in them.
  schema.index(
    { campaign_id: 1, publish_due_at: 1 },
    { partialFilterExpression: { publish_due_at: { $gt: new Date(0) } } },
  );
  schema.index(
    { worker_id: 1, spool_due_at: 1 },
    { partialFilterExpression: { spool_due_at: { $gt: new Date(0) } } },
  );
  // A tenant's ended calls that are not through their post-call steps; nothing else is in it.
  schema.index(
    { tenant_id: 1, sandbox: 1, post_call_due_at: 1 },
    { partialFilterExpression: { post_call_due_at: { $gt: new Date(0) } } },
  );
  // Calls that are in no sums yet: of one tenant, of its campaigns, and those that ended, longest ago first. Nothing
  // else is in them.
  const uncounted = { rollup_seq: null };
  schema.index(
    { tenant_id: 1, sandbox: 1, ended_at: 1 },
    { name: 'uncounted', partialFilterExpression: uncounted },
  );
  schema.index(
    { tenant_id: 1, sandbox: 1, campaign_id: 1 },
    { name: 'uncounted_of_campaign', partialFilterExpression: uncounted },
  );
  schema.index(
    { ended_at: 1 },
    { name: 'to_be_counted', partialFilterExpression: { ...uncounted, ended_at: { $gte: new Date(0) } } },
  );
  // Calls whose events are to be folded; nothing else is in it.
  schema.index(
    { fold_due_at: 1 },
    { name: 'fold_due', partialFilterExpression: { fold_due_at: { $gte: new Date(0) } } },
  );
  // Calls that are being erased; nothing else is in it.
  schema.index(
    { erase_due_at: 1 },
    { name: 'erase_due', partialFilterExpression: { erase_due_at: { $gte: new Date(0) } } },
  );
  // What a contact's other calls came to.
  schema.index(
    { tenant_id: 1, campaign_id: 1, contact_id: 1 },
    { partialFilterExpression: { contact_id: { $gt: '' } } },
  );
}
