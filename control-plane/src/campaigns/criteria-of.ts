import type { TenantId } from '@voice/shared/ids/ids';
import type { CampaignDocument, CampaignModel } from './model.js';
import { toShownSettings } from './settings.js';

/** Reads what a campaign wants of the analysis of its calls; null for an unknown campaign. */
export function campaignCriteriaReader(campaigns: CampaignModel) {
  return async (tenant: TenantId, campaignId: string) => {
    const campaign = await campaigns
      .findOne({ _id: campaignId, tenant_id: tenant, published: true })
      .lean<CampaignDocument>();
    if (!campaign) return null;
    const { outcome_labels, success_criteria, extraction_schema } = toShownSettings(campaign);
    return {
      outcomeLabels: outcome_labels,
      successCriteria: success_criteria,
      extractionSchema: extraction_schema,
    };
  };
}
