import type { Clock } from '@voice/shared/clock/clock';
import { Gauge, type Registry } from 'prom-client';
import { pacedAt } from './engine/pacing.js';
import type { CampaignDocument, CampaignModel } from './model.js';

/** How far the forecast reaches, in ms: about as long as a machine with new workers takes to come up. */
export const FORECAST_MS = 5 * 60_000;
/** For how long a forecast is given out, in ms: more than one scraper may ask. */
const FORECAST_LIFE_MS = 10_000;
const MINUTE_MS = 60_000;

/** What the forecast reads of a campaign. */
export type PlannedCampaign = Pick<
  CampaignDocument,
  | 'tenant_id'
  | 'calls_per_minute'
  | 'max_concurrent'
  | 'total_contacts'
  | 'scheduled_start'
  | 'status'
  | 'waiting_until'
>;

/** Returns when the campaign dials next, in epoch ms; null when it does not. */
function dialsFrom({ status, scheduled_start, waiting_until }: PlannedCampaign, now: number): number | null {
  switch (status) {
    case 'running':
      return Math.max(now, waiting_until?.getTime() ?? now);
    case 'scheduled':
      return Math.max(now, scheduled_start?.getTime() ?? now);
    default:
      return null;
  }
}

/**
 * Returns how many places at the workers campaigns want at most at once within the next 5 minutes: as many calls as each
 * may begin until then, within its own lines and the tenant's limit of calls a minute. What its calls hold already is
 * part of it. Pure.
 * @param tenantsLimit calls a minute of a tenant's campaigns together
 */
export function placesWanted(
  campaigns: readonly PlannedCampaign[],
  { now, tenantsLimit }: { readonly now: number; readonly tenantsLimit: number },
): number {
  const byTenant = new Map<string, number>();
  for (const campaign of campaigns) {
    const from = dialsFrom(campaign, now);
    if (from === null || from >= now + FORECAST_MS) continue;
    const minutes = (now + FORECAST_MS - from) / MINUTE_MS;
    const begun = Math.ceil(pacedAt(campaign.calls_per_minute, tenantsLimit) * minutes);
    const wanted = Math.min(campaign.max_concurrent, campaign.total_contacts, begun);
    byTenant.set(campaign.tenant_id, (byTenant.get(campaign.tenant_id) ?? 0) + wanted);
  }
  const most = tenantsLimit * (FORECAST_MS / MINUTE_MS);
  return [...byTenant.values()].reduce((sum, wanted) => sum + Math.min(wanted, most), 0);
}

/** Adds the forecast to the metrics: what an orchestrator brings workers up for before they are needed. */
export function addPlacesWanted(
  registry: Registry,
  options: { readonly campaigns: CampaignModel; readonly tenantsLimit: number; readonly clock: Clock },
): void {
  const { campaigns, tenantsLimit, clock } = options;
  let forecast: { readonly at: number; readonly places: Promise<number> } | undefined;
  const read = async (now: number): Promise<number> => {
    const active = await campaigns
      .find(
        { active: true },
        {
          tenant_id: 1,
          calls_per_minute: 1,
          max_concurrent: 1,
          total_contacts: 1,
          scheduled_start: 1,
          status: 1,
          waiting_until: 1,
        },
      )
      .lean<PlannedCampaign[]>();
    return placesWanted(active, { now, tenantsLimit });
  };
  new Gauge({
    name: 'campaign_places_wanted',
    help: 'Places for calls that campaigns want at most at once within the next 5 minutes, those they hold included.',
    registers: [registry],
    async collect() {
      const now = clock.now();
      if (!forecast || Math.abs(now - forecast.at) >= FORECAST_LIFE_MS) {
        forecast = { at: now, places: read(now) };
        forecast.places.catch(() => {
          forecast = undefined;
        });
      }
      // Without the store it is not known; all other metrics are.
      this.set(await forecast.places.catch(() => Number.NaN));
    },
  });
}
