import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { BilledCalls, type BilledTenant } from '../../billing/testing/billed-calls.js';
import { usageModel } from '../../billing/usage-model.js';
import { UsageRollups } from '../../billing/usage-rollups.js';
import { analysisModel } from '../../calls/record/analysis-model.js';
import { callModel } from '../../calls/record/model.js';
import { CallRollups } from '../../calls/rollups/call-rollups.js';
import { metricsOf } from '../../calls/testing/events.js';
import { sideBySide } from '../../platform/jobs/side-by-side.js';
import { rollupModel, rollupStateModel } from '../../platform/rollups/model.js';
import { startTestControlPlane } from '../../testing/control-plane.js';

type Row = mongo.Document & { _id: string };

const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** The share of all calls that the largest tenant has, whose requests are measured. */
const LARGEST = 0.1;
/** Campaigns of the largest tenant. */
const ITS_CAMPAIGNS = 10;
/** Calls of a contact, on average. */
const CALLS_A_CONTACT = 1.5;
/** One in so many has its events: they are read by the call alone, and folded after a call in time. */
const WITH_EVENTS = 50;
const INSERTED_AT_ONCE = 250;
const INSERTS_UNDER_WAY = 4;
/** Nothing else waits for the store, which answers when it has written. */
const PATIENT = {
  autoIndex: false,
  autoCreate: false,
  connectTimeoutMS: 120_000,
  serverSelectionTimeoutMS: 120_000,
};
const OUTCOMES = ['sold', 'later', 'not interested', null];

export interface ScaleOptions {
  readonly calls: number;
  readonly tenants: number;
  readonly campaigns: number;
}

/** The tenant whose requests are measured. */
export interface LargestTenant {
  readonly key: string;
  readonly agentId: string;
  readonly campaignId: string;
  readonly callIds: readonly string[];
  /** Body of `POST /api/v1/calls`. */
  readonly call: string;
}

/**
 * Fills a store with what so many calls leave behind: one call is held by the application itself, and what it has
 * written is written again for every other, with ids, times, outcomes and contacts of its own. The sums are then kept
 * by the application's own code.
 */
export async function seed(
  uri: string,
  { calls, tenants, campaigns }: ScaleOptions,
  onProgress: (text: string) => void,
): Promise<LargestTenant> {
  const store = await mongoose.createConnection(uri, PATIENT).asPromise();
  try {
    const { owner, template } = await holdCall(uri, store);
    const own = Array.from({ length: ITS_CAMPAIGNS }, () => newId());
    await insertCampaigns(store, owner.id, own);
    const others = Array.from({ length: tenants - 1 }, () => ({
      tenant: newId(),
      agent: newId(),
      campaigns: Array.from(
        { length: Math.ceil((campaigns - ITS_CAMPAIGNS) / Math.max(1, tenants - 1)) },
        () => newId(),
      ),
    }));
    const largest = { tenant: owner.id, agent: owner.agentId, campaigns: own };
    const writer = new Writer(store);
    const callIds: string[] = [];
    for (let n = 0; n < calls; n++) {
      const isLargest = n % Math.round(1 / LARGEST) === 0;
      const of = isLargest ? largest : others[n % others.length]!;
      const id = newId();
      if (isLargest && callIds.length < 1000) callIds.push(id);
      await writer.write(copyOf(template, { ...of, id, n, calls }));
      if (n % 50_000 === 0 && n > 0) onProgress(`${n} calls written`);
    }
    await writer.flush();
    onProgress(`${calls} calls written; counting them`);
    await count(store, [owner.id, ...others.map(({ tenant }) => tenant)], onProgress);
    return {
      key: owner.sandboxKey,
      agentId: owner.agentId,
      campaignId: own[0]!,
      callIds,
      call: JSON.stringify({
        agent_id: owner.agentId,
        from_number: SANDBOX_CALLER_ID,
        to_number: '+15005550006',
      }),
    };
  } finally {
    await store.close();
  }
}

/**
 * Lets the application hold a call of the largest tenant's, and reads what it left: by a connection of its own, for the
 * application's own queries all name the tenant, and are held to it.
 */
async function holdCall(
  uri: string,
  store: Connection,
): Promise<{ owner: BilledTenant; template: Template }> {
  const held = await BilledCalls.start((env) => startTestControlPlane(uri, { env }));
  try {
    const owner = await held.newTenant('largest');
    return { owner, template: await templateOf(store, held, owner) };
  } finally {
    await held.close();
  }
}

interface Template {
  readonly call: Row;
  readonly rows: readonly { readonly collection: string; readonly row: Row }[];
}

/** When something of an ended call is due; null once nothing is. */
export const OWED = ['post_call_due_at', 'publish_due_at', 'spool_due_at'] as const;

/** Holds a call and reads what it left, but for what no answer reads. */
async function templateOf(store: Connection, held: BilledCalls, owner: BilledTenant): Promise<Template> {
  const { id } = await held.held(owner, { sandbox: true, events: [metricsOf(1, 600), metricsOf(2, 800)] });
  const calls = store.collection<Row>('calls');
  let call = (await calls.findOne({ _id: id }))!;
  // What it still owes would be owed by each of its copies, and paid while answers are measured.
  while (OWED.some((field) => call[field])) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    call = (await calls.findOne({ _id: id }))!;
  }
  const rows: { collection: string; row: Row }[] = [];
  for (const { name } of await store.db!.listCollections().toArray()) {
    const found = await store
      .collection<Row>(name)
      .find({ $or: [{ _id: id }, { call_id: id }, { _id: String(call.compliance_check_id) }] })
      .toArray();
    for (const row of found) rows.push({ collection: name, row });
  }
  await sideBySide(rows, 1, ({ collection, row }) =>
    store.collection<Row>(collection).deleteOne({ _id: row._id }),
  );
  return { call, rows };
}

interface Copy {
  readonly tenant: string;
  readonly agent: string;
  readonly campaigns: readonly string[];
  readonly id: string;
  readonly n: number;
  readonly calls: number;
}

function* copyOf({ call, rows }: Template, copy: Copy): Generator<{ collection: string; row: Row }> {
  const { n, id } = copy;
  const spread = Math.imul(n + 1, 0x9e37_79b1) >>> 0;
  const campaign = copy.campaigns[spread % Math.max(1, copy.campaigns.length)] ?? null;
  const contact = `${campaign}/${Math.floor((n * 0.618_033_98) % (copy.calls / CALLS_A_CONTACT / 100))}`;
  const createdAt =
    Date.now() - DAY_MS - Math.floor(((n * 7919) % copy.calls) * ((DAYS * DAY_MS) / copy.calls));
  const shift = createdAt - (call.created_at as Date).getTime();
  const ids = new Map([
    [call._id, id],
    [String(call.tenant_id), copy.tenant],
    [String(call.agent_id), copy.agent],
    [String(call.compliance_check_id), newId()],
  ]);
  const fate = Math.floor(spread / 64) % 10;
  const answered = fate < 7;
  for (const { collection, row } of rows) {
    if (collection === 'call_events' && n % WITH_EVENTS !== 0) continue;
    const made = remade(row, ids, shift) as Row;
    if (collection === 'call_events') made._id = ids.get(row._id) ?? newId();
    if (collection === 'calls') {
      Object.assign(made, {
        campaign_id: campaign,
        contact_id: campaign === null ? null : contact,
        carrier_call_id: `CA${id}`,
        rollup_seq: null,
        // The bench measures answers, not the folding of a million calls.
        fold_due_at: null,
        ...(answered
          ? { outcome: OUTCOMES[fate % OUTCOMES.length] }
          : {
              status: fate === 9 ? 'FAILED' : 'NO_ANSWER',
              started_at: null,
              duration_ms: 0,
              outcome: null,
            }),
      });
    }
    if (collection === 'usage_records') made.rollup_seq = null;
    yield { collection, row: made };
  }
}

function remade(value: unknown, ids: ReadonlyMap<string, string>, shift: number): unknown {
  if (typeof value === 'string') return ids.get(value) ?? value;
  if (value instanceof Date) return value.getTime() === 0 ? value : new Date(value.getTime() + shift);
  if (Array.isArray(value)) return value.map((item) => remade(item, ids, shift));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, remade(inner, ids, shift)]));
}

/** Inserts rows by the hundred, a few inserts at a time. */
class Writer {
  readonly #store: Connection;
  readonly #waiting = new Map<string, Row[]>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(store: Connection) {
    this.#store = store;
  }

  async write(rows: Iterable<{ collection: string; row: Row }>): Promise<void> {
    for (const { collection, row } of rows) {
      const waiting = this.#waiting.get(collection) ?? [];
      this.#waiting.set(collection, waiting);
      waiting.push(row);
      if (waiting.length >= INSERTED_AT_ONCE) await this.#insert(collection, waiting.splice(0));
    }
  }

  async flush(): Promise<void> {
    for (const [collection, rows] of this.#waiting) {
      if (rows.length > 0) await this.#insert(collection, rows.splice(0));
    }
    await Promise.all(this.#underWay);
  }

  /** Waits only while too many inserts are under way: the next rows are made while the store writes. */
  async #insert(collection: string, rows: Row[]): Promise<void> {
    const insert = this.#store.collection<Row>(collection).insertMany(rows as never[], { ordered: false });
    // One that fails stays, and fails the next wait.
    const written = insert.then(() => void this.#underWay.delete(written));
    written.catch(() => {});
    this.#underWay.add(written);
    if (this.#underWay.size >= INSERTS_UNDER_WAY) await Promise.race(this.#underWay);
  }
}

async function insertCampaigns(store: Connection, tenant: string, ids: readonly string[]): Promise<void> {
  const now = new Date();
  const rows = ids.map((_id) => ({
    _id,
    tenant_id: tenant,
    sandbox: true,
    published: true,
    name: 'Spring',
    status: 'completed',
    outcome_labels: ['sold', 'later', 'not interested'],
    total_contacts: 1000,
    created_at: now,
    updated_at: now,
  }));
  await store.collection<Row>('campaigns').insertMany(rows as never[]);
}

/** Keeps the sums of all that was written, tenant by tenant. */
async function count(
  store: Connection,
  tenants: readonly string[],
  onProgress: (text: string) => void,
): Promise<void> {
  const sums = { rows: rollupModel(store), states: rollupStateModel(store) };
  const calls = new CallRollups({ ...sums, calls: callModel(store), analyses: analysisModel(store) });
  const usage = new UsageRollups({ ...sums, usage: usageModel(store) });
  let counted = 0;
  await sideBySide(tenants, 4, async (tenant) => {
    const scope = { tenant: asTenantId(tenant), sandbox: true };
    await calls.rollups.foldAll(scope);
    await usage.rollups.foldAll(scope);
    if (++counted % 100 === 0) onProgress(`calls of ${counted} of ${tenants.length} tenants counted`);
  });
}
