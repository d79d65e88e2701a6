import type { RollupPart, RollupsOptions } from '../../platform/rollups/rollups.js';
import { type Counter, type IsCounted, type RollupSource, Rollups } from '../../platform/rollups/rollups.js';
import { Tally } from '../../platform/rollups/sums.js';
import { ownedBy, scopeName, scopeOf, type TenantScope } from '../../platform/store/tenant-scope.js';
import type { AnalysisModel } from '../record/analysis-model.js';
import { gatheredCalls } from '../record/gathered-calls.js';
import type { CallModel } from '../record/model.js';
import { isTestSession } from '../record/test-sessions.js';
import {
  CALL_SUBJECT,
  COUNTED_FIELDS,
  type ContactReached,
  type CountedCall,
  NOT_REACHED,
  tallyCall,
  tallyContact,
} from './call-sums.js';

const PROJECTION = Object.fromEntries(COUNTED_FIELDS.map((field) => [field, 1]));
/** Calls, analyses or contacts in one read. */
const READ = 1000;
/** Scores are 0 to 1; they are summed up in millionths, so that the order does not matter. */
export const SCORE_UNIT = 1_000_000;

interface CallRollupsOptions extends Pick<RollupsOptions<CountedCall>, 'rows' | 'states'> {
  readonly calls: CallModel;
  readonly analyses: AnalysisModel;
}

/** What calls amount to, by tenant, campaign, agent, day and hour: kept as they end, and right at every moment. */
export class CallRollups {
  readonly #calls: CallModel;
  readonly rollups: Rollups<CountedCall>;

  constructor({ calls, analyses, ...store }: CallRollupsOptions) {
    this.#calls = calls;
    this.rollups = new Rollups({ ...store, source: callSource(calls, analyses) });
  }

  /** Returns the sums of all of a tenant's calls that were created since then, live ones included. */
  since(scope: TenantScope, since: number): Promise<RollupPart[]> {
    const subjects = [CALL_SUBJECT.calls, CALL_SUBJECT.campaign];
    return this.rollups.view(scope, { subjects, since }, () => this.#uncounted(scope));
  }

  /** Returns the sums of each agent and day between two times (epoch ms, the later one exclusive), live calls included. */
  ofAgents(
    scope: TenantScope,
    { since, until }: { readonly since: number; readonly until: number },
  ): Promise<RollupPart[]> {
    const subjects = [CALL_SUBJECT.agent];
    return this.rollups.view(scope, { subjects, since, until }, () => this.#uncounted(scope));
  }

  /** Returns the sums of all calls of a campaign, and of its contacts. */
  ofCampaign(scope: TenantScope, campaignId: string): Promise<RollupPart[]> {
    const subjects = [CALL_SUBJECT.campaign, CALL_SUBJECT.campaignHours, CALL_SUBJECT.contacts];
    return this.rollups.view(scope, { subjects, subject_id: campaignId }, () =>
      this.#uncounted(scope, campaignId),
    );
  }

  /** Returns the calls that are live, or whose post-call steps are not through: few, and in an index of their own. */
  #uncounted(scope: TenantScope, campaignId?: string): Promise<CountedCall[]> {
    return this.#calls
      .find(
        {
          ...ownedBy(scope),
          rollup_seq: null,
          ...(campaignId === undefined ? {} : { campaign_id: campaignId }),
        },
        PROJECTION,
      )
      .lean<CountedCall[]>()
      .exec();
  }
}

/** Calls are final when their post-call steps are through: cost and outcome are known. */
function callSource(calls: CallModel, analyses: AnalysisModel): RollupSource<CountedCall> {
  const due = { rollup_seq: null, ended_at: { $gte: new Date(0) }, post_call_due_at: null };
  return {
    name: 'calls',
    subjects: Object.values(CALL_SUBJECT),
    due: (scope, limit) =>
      calls
        .find({ ...ownedBy(scope), ...due }, PROJECTION)
        .sort({ ended_at: 1 })
        .limit(limit)
        .lean<CountedCall[]>()
        .exec(),
    async owners(limit) {
      if (!(await gatheredCalls(calls).due.has(due))) return [];
      const found = await calls
        .find(due, { tenant_id: 1, sandbox: 1 })
        .sort({ ended_at: 1 })
        .limit(limit)
        .lean<Pick<CountedCall, 'tenant_id' | 'sandbox'>[]>();
      return [...new Map(found.map((call) => [scopeName(scopeOf(call)), scopeOf(call)])).values()];
    },
    async *counted(scope) {
      const cursor = calls
        .find({ ...ownedBy(scope), rollup_seq: { $gt: 0 } }, PROJECTION)
        .lean<CountedCall[]>()
        .cursor({ batchSize: READ });
      const some: CountedCall[] = [];
      for await (const call of cursor) {
        some.push(call as unknown as CountedCall);
        if (some.length === READ) yield some.splice(0);
      }
      yield some;
    },
    counter: (scope, isCounted) => new CallCounter({ calls, analyses, scope, isCounted }),
    async mark(scope, ids, seq) {
      await calls.updateMany(
        { ...ownedBy(scope), _id: { $in: [...ids] }, rollup_seq: null },
        { $set: { rollup_seq: seq } },
      );
    },
  };
}

interface CallCounterOptions {
  readonly calls: CallModel;
  readonly analyses: AnalysisModel;
  readonly scope: TenantScope;
  readonly isCounted: IsCounted | undefined;
}

/** Counts calls: a contact that is called three times is one contact of its campaign. */
class CallCounter implements Counter<CountedCall> {
  readonly #options: CallCounterOptions;
  readonly #tally = new Tally();
  readonly #contacts = new Map<string, ContactReached>();

  constructor(options: CallCounterOptions) {
    this.#options = options;
  }

  async add(rows: readonly CountedCall[]): Promise<void> {
    const calls = rows.filter((call) => !isTestSession(call));
    const ofCampaigns = calls.filter(({ campaign_id: id }) => (id ?? null) !== null);
    for (let at = 0; at < ofCampaigns.length; at += READ) {
      const some = ofCampaigns.slice(at, at + READ);
      await Promise.all([this.#readContacts(some), this.#addScores(some)]);
    }
    for (const call of calls) tallyCall(this.#tally, call);
    for (const call of ofCampaigns) tallyContact(this.#tally, call, this.#contact(call));
  }

  changes() {
    return this.#tally.changes();
  }

  #contact(call: Pick<CountedCall, 'campaign_id' | 'contact_id'>): ContactReached {
    const key = `${call.campaign_id}/${call.contact_id ?? ''}`;
    const known = this.#contacts.get(key) ?? NOT_REACHED();
    this.#contacts.set(key, known);
    return known;
  }

  /** Notes what contacts have come to in calls that are counted already. */
  async #readContacts(calls: readonly CountedCall[]): Promise<void> {
    const { calls: model, scope, isCounted } = this.#options;
    if (!isCounted) return;
    const strange = new Map<string, Set<string | null>>();
    for (const { campaign_id: campaign, contact_id: contact = null } of calls) {
      if (this.#contacts.has(`${campaign}/${contact ?? ''}`)) continue;
      strange.set(campaign!, (strange.get(campaign!) ?? new Set()).add(contact));
    }
    const unused = new Tally();
    for (const [campaign_id, contacts] of strange) {
      const before = await model
        .find({ ...ownedBy(scope), campaign_id, contact_id: { $in: [...contacts] } }, PROJECTION)
        .lean<CountedCall[]>();
      for (const call of before) if (isCounted(call)) tallyContact(unused, call, this.#contact(call));
    }
  }

  async #addScores(calls: readonly CountedCall[]): Promise<void> {
    const { analyses, scope } = this.#options;
    const byId = new Map(calls.map((call) => [call._id, call]));
    const scored = await analyses
      .find(
        { ...ownedBy(scope), _id: { $in: [...byId.keys()] }, status: 'complete', outcome_score: { $gte: 0 } },
        { outcome_score: 1 },
      )
      .lean<{ _id: string; outcome_score: number }[]>();
    for (const { _id, outcome_score: score } of scored) {
      const add = this.#tally.row(CALL_SUBJECT.contacts, byId.get(_id)?.campaign_id ?? '', 0);
      add('scores');
      add('score', Math.round(score * SCORE_UNIT));
    }
  }
}
