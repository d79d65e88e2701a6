import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CallingHours, callingHours } from '../../agents/calling-hours.js';
import { apiError } from '../../platform/http/error-codes.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { CONTACT_RANK, type ContactDocument, type ContactModel, contactModel } from '../contacts/model.js';
import { type CampaignDocument, type CampaignModel, campaignModel } from '../model.js';
import { runningCampaign, waitingContacts } from '../testing/stored-campaign.js';
import { HoursScreen } from './hours-screen.js';

const NOW = Date.UTC(2026, 0, 5, 15);
const HOUR_MS = 3_600_000;
const TEST_NUMBER = '+15005550006';
/** Who opens when; the others are open, or will never be. */
const OPENS_AT: Readonly<Record<string, number>> = {
  '+12135550101': NOW + HOUR_MS,
  '+12135550102': NOW + HOUR_MS,
  '+18085550103': NOW + 3 * HOUR_MS,
  [TEST_NUMBER]: NOW + HOUR_MS,
};
const OPEN = '+12125550100';
const CLOSED = Object.keys(OPENS_AT);

let store: TestStore;
let campaigns: CampaignModel;
let contacts: ContactModel;
let hours: CallingHours;
let snapshot: () => Promise<void>;
let asked: [string, string][];
let screen: HoursScreen;

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  campaigns = campaignModel(connection);
  contacts = contactModel(connection);
});
afterAll(() => store?.close());
beforeEach(() => {
  hours = callingHours.parse({});
  [snapshot, asked] = [async () => {}, []];
  screen = new HoursScreen({
    campaigns,
    contacts,
    agents: {
      snapshot: async (tenant, id) => {
        asked.push([tenant, id]);
        await snapshot();
        return { isActive: true, callingHours: hours };
      },
    },
    windowOf: (by, phone, now) => {
      expect([by, now]).toEqual([hours, NOW]);
      const nextOpenAt = OPENS_AT[phone] ?? null;
      return { open: nextOpenAt === null, nextOpenAt, judgedIn: [] };
    },
  });
});

async function stored(
  phones: readonly string[],
  changes: Partial<CampaignDocument> = {},
  ofContacts: Partial<ContactDocument> = {},
): Promise<{ campaign: CampaignDocument; waiting: ContactDocument[] }> {
  const campaign = runningCampaign(NOW, { sandbox: false, ...changes });
  const waiting = waitingContacts(campaign, phones).map((contact) => ({ ...contact, ...ofContacts }));
  await campaigns.collection.insertOne(campaign as never);
  await contacts.collection.insertMany(waiting as never[]);
  return { campaign, waiting };
}
const admitted = async (campaign: CampaignDocument, waiting: readonly ContactDocument[]) => {
  const admit = await screen.begin(campaign, NOW);
  return (await admit(waiting)).map(({ phone }) => phone);
};
const contactsOf = ({ _id }: CampaignDocument) =>
  contacts.find({ campaign_id: _id }).sort({ position: 1 }).lean<ContactDocument[]>();
const putOffBy = async ({ _id }: CampaignDocument) =>
  (await campaigns.findOne({ _id }).orFail().lean<CampaignDocument>()).put_off_by ?? null;

describe('contacts whose hours are closed', () => {
  it('are put off until they open, each to its own time; the others are let through', async () => {
    const { campaign, waiting } = await stored([OPEN, ...CLOSED.slice(0, 3), OPEN]);
    expect(await admitted(campaign, waiting)).toEqual([OPEN, OPEN]);
    expect(asked).toEqual([[campaign.tenant_id, campaign.agent_id]]);
    const [first, ...rest] = await contactsOf(campaign);
    expect(first).toEqual(waiting[0]);
    for (const contact of rest.slice(0, 3)) {
      const at = new Date(OPENS_AT[contact.phone]!);
      expect(contact).toMatchObject({
        status: 'pending',
        rank: CONTACT_RANK.again,
        due_at: at,
        next_retry_at: at,
        waits_for_hours: true,
        updated_at: new Date(NOW),
      });
    }
    expect(rest[3]).toEqual(waiting[4]);
    expect(await putOffBy(campaign)).toBe(JSON.stringify(hours));
  });

  it('are not put off, and the campaign not written to, where all are open', async () => {
    const { campaign, waiting } = await stored([OPEN]);
    expect(await admitted(campaign, waiting)).toEqual([OPEN]);
    expect(await putOffBy(campaign)).toBeNull();
  });

  it.each<[string, Partial<ContactDocument>]>([
    ['is on the line', { on_line: true }],
    ['is pending no more', { status: 'cancelled' }],
    ['was rescheduled', { due_at: new Date(NOW + 1) }],
  ])('leave one alone that %s meanwhile', async (_what, changes) => {
    const { campaign, waiting } = await stored([CLOSED[0]!], {}, changes);
    expect(await admitted(campaign, waiting)).toEqual([]);
    expect(await contactsOf(campaign)).toEqual(waiting);
  });

  it('in the sandbox are the test numbers alone: no other is ever called, and its refusal does not wait', async () => {
    const { campaign, waiting } = await stored([CLOSED[0]!, TEST_NUMBER], { sandbox: true });
    expect(await admitted(campaign, waiting)).toEqual([CLOSED[0]]);
    const production = await stored([CLOSED[0]!, TEST_NUMBER]);
    expect(await admitted(production.campaign, production.waiting)).toEqual([]);
  });
});

describe('contacts that were put off', () => {
  const waits = { waits_for_hours: true, due_at: new Date(NOW + HOUR_MS), next_retry_at: new Date(NOW) };

  it('are due again when the agent has other hours', async () => {
    const { campaign } = await stored([OPEN, OPEN], { put_off_by: 'other hours' }, waits);
    const [first] = await contactsOf(campaign);
    await contacts.updateOne({ _id: first!._id }, { $set: { status: 'cancelled' } });
    await screen.begin(campaign, NOW);
    const [cancelled, revived] = await contactsOf(campaign);
    expect(cancelled).toMatchObject({ status: 'cancelled', ...waits });
    expect(revived).toMatchObject({
      status: 'pending',
      waits_for_hours: false,
      due_at: new Date(NOW),
      next_retry_at: null,
      updated_at: new Date(NOW),
    });
    expect(await putOffBy(campaign)).toBeNull();
  });

  it('wait on by the same hours, and where they wait for something else', async () => {
    for (const [put_off_by, ofContacts] of [
      [JSON.stringify(hours), waits],
      [null, waits],
      ['other hours', { ...waits, waits_for_hours: false }],
    ] as const) {
      const { campaign, waiting } = await stored([OPEN], { put_off_by }, ofContacts);
      await screen.begin(campaign, NOW);
      expect(await contactsOf(campaign)).toEqual(waiting);
    }
  });

  it('of another campaign wait on', async () => {
    const other = await stored([OPEN], {}, waits);
    const { campaign } = await stored([OPEN], { put_off_by: 'other hours' }, waits);
    await screen.begin(campaign, NOW);
    expect(await contactsOf(other.campaign)).toEqual(other.waiting);
  });

  it('by hours that another replica has taken note of already are not forgotten', async () => {
    const { campaign } = await stored([OPEN], { put_off_by: 'newer hours' }, waits);
    await screen.begin({ ...campaign, put_off_by: 'other hours' }, NOW);
    expect(await putOffBy(campaign)).toBe('newer hours');
  });
});

describe('an agent', () => {
  it('that is gone has no hours: the gate refuses its calls', async () => {
    snapshot = async () => {
      throw apiError('agent_not_found');
    };
    const { campaign, waiting } = await stored([CLOSED[0]!], { put_off_by: 'other hours' });
    expect(await admitted(campaign, waiting)).toEqual([CLOSED[0]]);
    expect(await contactsOf(campaign)).toEqual(waiting);
  });

  it.each([apiError('store_unavailable'), new Error('agent_not_found')])(
    'that cannot be read fails the look (%s)',
    async (failure) => {
      snapshot = async () => {
        throw failure;
      };
      await expect(screen.begin(runningCampaign(NOW, { _id: newId() }), NOW)).rejects.toBe(failure);
    },
  );
});
