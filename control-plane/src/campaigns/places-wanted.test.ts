import { describe, expect, it } from 'vitest';
import { FORECAST_MS, placesWanted } from './places-wanted.js';
import { runningCampaign } from './testing/stored-campaign.js';

const now = Date.UTC(2026, 10, 22);
const campaign = (changes: Parameters<typeof runningCampaign>[1]) =>
  runningCampaign(now, { calls_per_minute: 60, max_concurrent: 1000, total_contacts: 10_000, ...changes });
const wanted = (...campaigns: ReturnType<typeof campaign>[]) =>
  placesWanted(campaigns, { now, tenantsLimit: 120 });

describe('the places that campaigns want', () => {
  it('are the calls that each may begin within 5 minutes', () => {
    expect(wanted(campaign({}))).toBe(300);
    expect(wanted(campaign({}), campaign({}))).toBe(600);
    expect(wanted()).toBe(0);
  });

  it('are never more than its lines, its contacts and the tenant’s limit', () => {
    expect(wanted(campaign({ max_concurrent: 20 }))).toBe(20);
    expect(wanted(campaign({ total_contacts: 7 }))).toBe(7);
    expect(wanted(campaign({ calls_per_minute: 500 }))).toBe(600);
    const tenant_id = 'one-tenant';
    expect(wanted(...Array.from({ length: 5 }, () => campaign({ tenant_id })))).toBe(600);
  });

  it('begin with the next calling window and with the scheduled start', () => {
    const inFourMinutes = new Date(now + 4 * 60_000);
    const tomorrow = new Date(now + 86_400_000);
    expect(wanted(campaign({ waiting_until: inFourMinutes }))).toBe(60);
    expect(wanted(campaign({ waiting_until: tomorrow }))).toBe(0);
    expect(wanted(campaign({ waiting_until: new Date(now - 1000) }))).toBe(300);
    expect(wanted(campaign({ status: 'scheduled', scheduled_start: inFourMinutes }))).toBe(60);
    expect(wanted(campaign({ status: 'scheduled', scheduled_start: new Date(now + FORECAST_MS) }))).toBe(0);
  });

  it('are none of a campaign that is paused', () => {
    expect(wanted(campaign({ status: 'paused' }))).toBe(0);
  });
});
