import type { TenantId } from '@voice/shared/ids/ids';
import type { CampaignDocument, CampaignModel } from './model.js';

/** What a campaign wants of the analysis of its calls; null for an unknown campaign. */
export function campaignCriteriaReader(campaigns: CampaignModel) {
  return async (tenant: TenantId, campaignId: string) => {
    const campaign = await campaigns
      .findOne({ _id: campaignId, tenant_id: tenant, published: true })
      .lean<CampaignDocument>();
    if (!campaign) return null;
    return {
      outcomeLabels: campaign.outcome_labels,
      successCriteria: campaign.success_criteria,
      extractionSchema:
        campaign.extraction_schema === null
          ? null
          : (JSON.parse(campaign.extraction_schema) as Record<string, unknown>),
    };
  };
}
