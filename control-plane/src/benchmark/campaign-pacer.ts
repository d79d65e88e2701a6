import { writeFileSync } from 'node:fs';
import { systemClock } from '@voice/shared/clock/clock';
import { TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { silentLog } from '@voice/shared/log/log';
import mongoose, { type Connection } from 'mongoose';
import type { CallingHours } from '../agents/calling-hours.js';
import { type CallDocument, callModel } from '../calls/record/model.js';
import { contactModel } from '../campaigns/contacts/model.js';
import { CampaignCreation } from '../campaigns/creation.js';
import { callIdOf } from '../campaigns/engine/call-id.js';
import { CampaignWork } from '../campaigns/engine/campaign-work.js';
import { Dispatching } from '../campaigns/engine/dispatching.js';
import { CampaignEngine } from '../campaigns/engine/engine.js';
import { Granting } from '../campaigns/engine/granting.js';
import { HoursScreen } from '../campaigns/engine/hours-screen.js';
import { LinesWatch } from '../campaigns/engine/lines-watch.js';
import { Settling } from '../campaigns/engine/settling.js';
import { campaignModel } from '../campaigns/model.js';
import { runningCampaign, waitingContacts } from '../campaigns/testing/stored-campaign.js';
import { Jobs } from '../platform/jobs/jobs.js';
import { scheduledJobModel } from '../platform/jobs/scheduled-job-model.js';
import { ensureIndexes } from '../platform/store/ensure-indexes.js';
import { Gathered } from '../platform/store/gathered.js';

const TALKS = TEST_NUMBERS.find(({ behavior }) => behavior === 'talks')!.number;
const MINUTE_MS = 60_000;
const SEEDED_AT_ONCE = 500;
const PROGRESS_EVERY = 2000;

interface Counted {
  commands: number;
}

async function connect(uri: string, counted: Counted): Promise<Connection> {
  const options = { monitorCommands: true, bufferCommands: false, autoIndex: false, autoCreate: false };
  const store = await mongoose.createConnection(uri, options).asPromise();
  store.getClient().on('commandStarted', () => {
    counted.commands++;
  });
  return store;
}

/**
 * The pacing of campaigns as in a replica, by its jobs, without what makes a call: a call is one document, which has
 * ended already. What is measured is when each began.
 */
function pacerOf(store: Connection, log: Log): { readonly jobs: Jobs; readonly engine: CampaignEngine } {
  const clock = systemClock;
  const [campaigns, contacts, calls] = [campaignModel(store), contactModel(store), callModel(store)];
  const created = new Gathered(async (rows: readonly Partial<CallDocument>[]) => {
    await calls.collection.insertMany(rows as never[], { ordered: false });
    return rows.map(() => undefined);
  });
  const granting = new Granting({
    campaigns,
    contacts,
    screen: new HoursScreen({
      campaigns,
      contacts,
      agents: { snapshot: async () => ({ isActive: true, callingHours: {} as CallingHours }) },
      windowOf: () => ({ nextOpenAt: null }) as never,
    }),
    takeDispatches: async (_tenant, count) => ({ count, giveBack: async () => {} }),
    dispatchesPerMinute: 1_000_000,
    callIdOf,
    clock,
  });
  const events = { emit: async () => {} };
  const dispatching = new Dispatching({
    campaigns,
    contacts,
    calls: {
      create: ({ tenant }, { id, campaign }) => {
        const now = new Date(clock.now());
        return created.add({
          _id: id,
          tenant_id: tenant,
          campaign_id: campaign.campaignId,
          contact_id: campaign.contactId,
          status: 'COMPLETED',
          queued_at: now,
          ended_at: now,
        });
      },
    },
    callerIds: { numberFor: async () => TALKS },
    giveSlotBack: (campaign) => granting.giveSlotBack(campaign),
    numberInUse: async () => false,
    callExists: async () => false,
    eraseRefusals: async () => {},
    events,
    clock,
    log,
  });
  const work = new CampaignWork({
    campaigns,
    contacts,
    calls,
    granting,
    settling: new Settling({ contacts, calls, clock }),
    dispatching,
    lines: new LinesWatch(),
    events,
    clock,
    log,
  });
  const creation = new CampaignCreation({ campaigns, contacts, clock });
  const engine = new CampaignEngine({ campaigns, work, creation, clock, log });
  const scheduledJobs = scheduledJobModel(store);
  const jobs = new Jobs({ store, jobs: engine.sweeps, keyedJobs: [engine.job], scheduledJobs, clock, log });
  return { jobs, engine };
}

/**
 * Stores running campaigns, whose first slots are spread over the length of a slot. The first is `leadMs` after all
 * contacts are stored, which takes most of the time: it returns when that is, in epoch ms.
 */
async function seed(
  store: Connection,
  {
    count,
    perMinute,
    contactsEach,
    leadMs,
  }: Readonly<Record<'count' | 'perMinute' | 'contactsEach' | 'leadMs', number>>,
): Promise<number> {
  const [campaigns, contacts] = [campaignModel(store), contactModel(store)];
  const jobs = scheduledJobModel(store);
  callModel(store);
  await ensureIndexes(store);
  const slotMs = MINUTE_MS / perMinute;
  const ids = Array.from({ length: count }, () => ({ _id: newId(), tenant_id: newId() }));
  const phones = Array.from({ length: contactsEach }, () => TALKS);
  let filled = 0;
  for (const some of inPieces(ids)) {
    const waiting = some.flatMap((id) => waitingContacts({ ...id, created_at: new Date() }, phones));
    await contacts.collection.insertMany(waiting as never[], { ordered: false });
    filled += some.length;
    if (filled % PROGRESS_EVERY === 0) process.stderr.write(`contacts of ${filled} of ${count} campaigns\n`);
  }
  const startsAt = Date.now() + leadMs;
  let stored = 0;
  for (const some of inPieces(ids)) {
    const made = some.map((id) => {
      const at = startsAt + (stored++ / count) * slotMs;
      const first_dispatch_at = new Date(at);
      const paced = { calls_per_minute: perMinute, first_dispatch_at, max_concurrent: 10 };
      return runningCampaign(at, { ...id, ...paced });
    });
    await campaigns.collection.insertMany(made as never[], { ordered: false });
    await jobs.collection.insertMany(
      made.map(({ _id, next_slot_at }) => ({
        _id: `campaigns:${_id}`,
        name: 'campaigns',
        key: _id,
        due_at: new Date(next_slot_at),
        holder: null,
        lock: null,
        locked_at: null,
        last_holder: null,
      })) as never[],
      { ordered: false },
    );
  }
  return startsAt;
}

function* inPieces<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += SEEDED_AT_ONCE)
    yield items.slice(from, from + SEEDED_AT_ONCE);
}

/** Writes when each call began, in ms after its slot, and how many are missing. */
async function report(store: Connection, perMinute: number, until: number): Promise<object> {
  const slotMs = MINUTE_MS / perMinute;
  const campaigns = await campaignModel(store).find({}, { created_at: 1 }).lean();
  const rows = await callModel(store)
    .find({ queued_at: { $lte: new Date(until) } }, { campaign_id: 1, contact_id: 1, queued_at: 1 })
    .lean();
  const begun = new Map<string, number[]>(campaigns.map(({ _id }) => [_id, []]));
  for (const { campaign_id, queued_at } of rows) begun.get(campaign_id!)!.push(queued_at.getTime());
  let expected = 0;
  const late: number[] = [];
  for (const { _id, created_at } of campaigns) {
    const first = created_at.getTime();
    expected += Math.floor((until - first) / slotMs) + 1;
    for (const [n, at] of begun
      .get(_id)!
      .sort((a, b) => a - b)
      .entries())
      late.push(at - first - n * slotMs);
  }
  late.sort((a, b) => a - b);
  const lateMs = (share: number) =>
    Math.round(late[Math.min(late.length - 1, Math.floor(share * late.length))] ?? 0);
  return {
    calls: rows.length,
    expected,
    rateError: rows.length / expected - 1,
    calledTwice: rows.length - new Set(rows.map(({ contact_id }) => contact_id)).size,
    lateMs: { least: lateMs(0), p50: lateMs(0.5), p99: lateMs(0.99), most: lateMs(1) },
  };
}

/**
 * `MODE URI FILE {options as JSON}`; says that it is ready when the pacer runs. A seed and a report are in the file when
 * the process has ended.
 */
async function main([mode, uri, file, given]: string[]): Promise<void> {
  const counted: Counted = { commands: 0 };
  const store = await connect(uri!, counted);
  const options = JSON.parse(given ?? '{}') as Record<
    'count' | 'perMinute' | 'contactsEach' | 'leadMs' | 'until',
    number
  >;
  const ready = () => process.send?.({ type: 'ready', port: 0, id: newId() });
  if (mode !== 'run') ready();
  if (mode === 'seed') writeFileSync(file!, JSON.stringify({ startsAt: await seed(store, options) }));
  if (mode === 'report')
    writeFileSync(file!, JSON.stringify(await report(store, options.perMinute, options.until)));
  if (mode === 'run') {
    const { jobs, engine } = pacerOf(store, silentLog);
    await jobs.start();
    setInterval(() => writeFileSync(file!, JSON.stringify(counted)), 500);
    process.once('SIGTERM', () => {
      void jobs
        .stop()
        .then(() => engine.stop())
        .finally(() => process.exit(0));
    });
  }
  if (mode === 'run') ready();
  else await store.close();
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`campaign-pacer: ${String(error)}\n`);
  process.exitCode = 1;
});
