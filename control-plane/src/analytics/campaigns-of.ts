import type { CampaignModel } from '../campaigns/model.js';
import { ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import type { CampaignForOverview } from './overview.js';

/** Reads campaigns for the overview. */
export function campaignReader(campaigns: CampaignModel) {
  return async (scope: TenantScope, ids: readonly string[]): Promise<CampaignForOverview[]> => {
    const rows = await campaigns
      .find(
        { ...ownedBy(scope), published: true, _id: { $in: [...ids] } },
        { name: 1, status: 1, outcome_labels: 1 },
      )
      .lean<{ _id: string; name: string; status: string; outcome_labels: string[] }[]>();
    return rows.map(({ _id, name, status, outcome_labels }) => ({
      id: _id,
      name,
      status,
      outcomeLabels: outcome_labels,
    }));
  };
}
