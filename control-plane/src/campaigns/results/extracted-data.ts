import type { TenantId } from '@voice/shared/ids/ids';
import type { AnalysisModel, AnalysisRow } from '../../calls/record/analysis-model.js';
import type { CallModel } from '../../calls/record/model.js';
import { totalOf } from '../../platform/http/totals.js';
import type { ContactDocument, ContactModel } from '../contacts/model.js';
import type { ExtractedRow } from './schemas.js';

export const SORTS = ['started_at', 'outcome_score', 'duration_seconds'] as const;

export interface ExtractedQuery {
  readonly outcome?: string | undefined;
  readonly sort: (typeof SORTS)[number];
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  readonly include_total?: boolean;
}

type Person = Pick<ContactDocument, '_id' | 'phone' | 'first_name' | 'last_name'>;

/** Contacts, or calls, in one read. */
const BATCH = 1000;

interface ExtractedDataOptions {
  readonly analyses: AnalysisModel;
  readonly calls: CallModel;
  readonly contacts: ContactModel;
}

/** What was extracted from a campaign's analysed calls. */
export class ExtractedData {
  readonly #options: ExtractedDataOptions;

  constructor(options: ExtractedDataOptions) {
    this.#options = options;
  }

  async page(tenant: TenantId, campaignId: string, query: ExtractedQuery) {
    const [rows, total] = await Promise.all([
      this.rows(tenant, campaignId, { ...query, limit: query.limit + 1 }),
      totalOf(query.include_total === true, (limit) =>
        this.#options.analyses.countDocuments(filterOf(tenant, campaignId, query.outcome), { limit }).exec(),
      ),
    ]);
    return { data: rows.slice(0, query.limit), ...total, has_more: rows.length > query.limit };
  }

  async rows(tenant: TenantId, campaignId: string, query: ExtractedQuery): Promise<ExtractedRow[]> {
    const direction = query.order === 'asc' ? 1 : -1;
    const analyses = await this.#options.analyses
      .find(filterOf(tenant, campaignId, query.outcome))
      // The id decides between equals, so that pages neither repeat nor miss a call.
      .sort({ [query.sort]: direction, _id: direction })
      .skip(query.offset)
      .limit(query.limit)
      .lean<AnalysisRow[]>();
    const [people, erasing] = await Promise.all([
      this.#people(
        tenant,
        analyses.flatMap(({ contact_id: id }) => id ?? []),
      ),
      this.#erasing(
        tenant,
        analyses.map(({ _id }) => _id),
      ),
    ]);
    return analyses.map((analysis) =>
      erasing.has(analysis._id)
        ? present({ ...analysis, ...NOT_SHOWN }, undefined)
        : present(analysis, people.get(analysis.contact_id ?? '')),
    );
  }

  /** Finds the calls that are erased or about to be: nothing of them is shown from the request on. */
  async #erasing(tenant: TenantId, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const erasing = new Set<string>();
    for (let from = 0; from < ids.length; from += BATCH) {
      const isErasing = { tenant_id: tenant, erasing_at: { $gt: new Date(0) } };
      const found = await this.#options.calls
        .find({ _id: { $in: ids.slice(from, from + BATCH) }, ...isErasing }, { _id: 1 })
        .lean<{ _id: string }[]>();
      for (const { _id } of found) erasing.add(_id);
    }
    return erasing;
  }

  async #people(tenant: TenantId, ids: readonly string[]): Promise<ReadonlyMap<string, Person>> {
    const people = new Map<string, Person>();
    for (let from = 0; from < ids.length; from += BATCH) {
      const found = await this.#options.contacts
        .find(
          { _id: { $in: ids.slice(from, from + BATCH) }, tenant_id: tenant },
          { phone: 1, first_name: 1, last_name: 1 },
        )
        .lean<Person[]>();
      for (const person of found) people.set(person._id, person);
    }
    return people;
  }
}

const NOT_SHOWN = { summary: null, sentiment: null, extracted_data: null } as const;

function filterOf(tenant: TenantId, campaignId: string, outcome: string | undefined) {
  return {
    tenant_id: tenant as string,
    campaign_id: campaignId,
    status: 'complete' as const,
    ...(outcome === undefined ? {} : { outcome }),
  };
}

function present(analysis: AnalysisRow, person: Person | undefined): ExtractedRow {
  return {
    call_id: analysis._id,
    contact_id: analysis.contact_id,
    phone: person?.phone || null,
    first_name: person?.first_name ?? null,
    last_name: person?.last_name ?? null,
    started_at: analysis.started_at.toISOString(),
    duration_seconds: analysis.duration_seconds,
    outcome: analysis.outcome,
    outcome_score: analysis.outcome_score,
    summary: analysis.summary,
    sentiment: analysis.sentiment,
    extracted_data:
      analysis.extracted_data === null
        ? null
        : (JSON.parse(analysis.extracted_data) as Record<string, unknown>),
  };
}
