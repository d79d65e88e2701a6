import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { beforeAll, beforeEach } from 'vitest';
import { type CallModel, callModel } from '../../calls/record/model.js';
import { startTestStore } from '../../testing/store.js';
import type { TenantEvent } from '../../webhooks/events/tenant-events.js';
import { type ContactDocument, type ContactModel, contactModel } from '../contacts/model.js';
import { CampaignWork } from '../engine/campaign-work.js';
import type { LinesSeen } from '../engine/settling.js';
import { type CampaignDocument, type CampaignModel, campaignModel } from '../model.js';
import { runningCampaign, waitingContacts } from './stored-campaign.js';

export const TALKS = '+15005550006';
export const LINES_REST_MS = 200;
export const NOTHING: LinesSeen = { busy: 0, dialed: false, orphans: [] };

/** The work on stored campaigns, whose parts do what a test says: new for each test, in the store of its file. */
export class CampaignWorkScene {
  campaigns!: CampaignModel;
  contacts!: ContactModel;
  calls!: CallModel;
  clock!: ScriptedClock;
  work!: CampaignWork;
  /** What the parts of the work were asked for, in order. */
  asked!: string[];
  completed!: ContactDocument[];
  granted!: ContactDocument[];
  nextDueAt!: number | null;
  /** How long it is to the next slot, and after lines that were given just now, in ms. */
  untilSlot!: number;
  untilSlotAfter!: number;
  /** Whether the campaign was seen to have lines in use, last. */
  linesSeen: boolean | undefined;
  settle!: () => Promise<LinesSeen>;
  dispatch!: () => Promise<void>;
  emitted!: TenantEvent[];
  /** Runs once a campaign is read, and before an event is taken: what others do meanwhile. */
  afterRead!: () => Promise<unknown>;
  beforeEmit!: () => Promise<unknown>;
  errors!: string[];

  constructor() {
    beforeAll(async () => {
      const store = await startTestStore();
      const connection = await store.connect();
      this.campaigns = campaignModel(connection);
      this.contacts = contactModel(connection);
      this.calls = callModel(connection);
      return () => store.close();
    });
    beforeEach(() => {
      this.clock = new ScriptedClock();
      [this.asked, this.emitted, this.errors] = [[], [], []];
      [this.completed, this.granted, this.nextDueAt] = [[], [], null];
      [this.untilSlot, this.untilSlotAfter, this.linesSeen] = [0, 0, undefined];
      this.settle = async () => NOTHING;
      this.dispatch = async () => {};
      [this.afterRead, this.beforeEmit] = [async () => {}, async () => {}];
      this.work = new CampaignWork({
        campaigns: this.campaigns,
        contacts: this.contacts,
        calls: this.calls,
        granting: {
          complete: async () => {
            this.asked.push('complete');
            await this.afterRead();
            return this.completed;
          },
          grant: async ({ waiting_reason }) => {
            this.asked.push(waiting_reason === null ? 'grant' : `grant while ${waiting_reason}`);
            return this.granted;
          },
          stopped: () => void this.asked.push('stopped'),
          rested: (_id, at) => void this.asked.push(`rested until ${at - this.clock.now()} ms`),
          nextSlotAt: (_campaign, given = 0) =>
            this.clock.now() + (given > 0 ? this.untilSlotAfter : this.untilSlot),
          nextDueAt: async () => this.nextDueAt,
        },
        settling: {
          settle: () => {
            this.asked.push('settle');
            return this.settle();
          },
        },
        dispatching: {
          dispatch: (_campaign, contact) => {
            this.asked.push(`dispatch ${contact.position}`);
            return this.dispatch();
          },
          publishStart: async () => void this.asked.push('publish the start'),
        },
        lines: {
          note: (_id, inUse) => {
            this.linesSeen = inUse;
          },
          restMs: () => LINES_REST_MS,
        },
        events: {
          emit: async (event) => {
            await this.beforeEmit();
            this.emitted.push(event);
          },
        },
        clock: this.clock,
        log: { ...silentLog, error: (_fields, message) => this.errors.push(message) },
      });
    });
  }

  /** Stores a campaign with a contact of each of these statuses. */
  async stored(
    changes: Partial<CampaignDocument> = {},
    statuses: readonly ContactDocument['status'][] = ['pending'],
  ): Promise<CampaignDocument> {
    const campaign = runningCampaign(this.clock.now() - 60_000, changes);
    await this.campaigns.collection.insertOne(campaign as never);
    const all = waitingContacts(campaign, Array(statuses.length).fill(TALKS));
    if (all.length > 0) {
      await this.contacts.collection.insertMany(
        all.map((contact, n) => ({
          ...contact,
          status: statuses[n],
          on_line: statuses[n] === 'dialing',
        })) as never[],
      );
    }
    return campaign;
  }

  /** Contacts with a call each, as they are given lines. */
  readonly onLine = (campaign: CampaignDocument, count = 1) =>
    waitingContacts(campaign, Array(count).fill(TALKS)).map((contact) => ({ ...contact, call_id: newId() }));
  readonly now = ({ _id }: CampaignDocument) =>
    this.campaigns.findOne({ _id }).orFail().lean<CampaignDocument>();
  /** Looks at it once. Returns after how long it is to be looked at again, in ms. */
  readonly look = async ({ _id }: CampaignDocument) => {
    const at = await this.work.look(_id);
    return at === null ? null : Math.max(0, at - this.clock.now());
  };
  /** What another replica, or the tenant, decides. */
  readonly decided = ({ _id }: CampaignDocument, changes: Partial<CampaignDocument>) =>
    this.campaigns.updateOne({ _id }, { $set: changes, $inc: { revision: 1 } });
}

/** Resolves when what is under way has come a step further. */
export const soon = () => new Promise((resolve) => setImmediate(resolve));
