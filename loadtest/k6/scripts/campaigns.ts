import { sleep } from 'k6';
import { instance } from 'k6/execution';
import { Counter, Rate, Trend } from 'k6/metrics';
import { read, request } from './api.ts';
import { settings } from './settings.ts';

const duration = new Trend('campaign_duration_ms', true);
const contacts = new Counter('campaign_contacts');
const failed = new Rate('campaign_failed');

/** A campaign that takes longer has failed, in ms. */
const LONGEST_MS = 120_000;
/** One that the run's end cuts off has failed if it had so long: ten times as long as one takes, in ms. */
const ENOUGH_MS = 30_000;
/** So long before k6 interrupts what has not ended, its outcome is recorded, in ms. */
const BEFORE_END_MS = 3000;
const LOOK_EVERY_SECONDS = 1;

/** Creates a campaign, starts it and follows it to its end. Nobody answers, so it needs no media. */
export function campaign(): void {
  const startedAt = Date.now();
  const leftMs = settings.endSeconds * 1000 - BEFORE_END_MS - instance.currentTestRunDuration;
  const limitMs = Math.min(LONGEST_MS, leftMs);
  const created = request('POST', '/api/v1/campaigns', {
    name: 'Load',
    agent_id: settings.agentId,
    calls_per_minute: 600,
    max_concurrent: 20,
    retry_policy: { max_attempts: 1 },
    contacts: Array.from({ length: settings.campaignContacts }, (_, n) => ({
      phone: n % 2 === 0 ? settings.numbers.busy : settings.numbers.rejects,
      first_name: `Contact ${n}`,
    })),
  });
  const id = read<{ id?: string }>(created)?.id;
  if (created.status !== 201 || !id) {
    failed.add(true);
    sleep(LOOK_EVERY_SECONDS);
    return;
  }
  const started = request('POST', `/api/v1/campaigns/${id}/start`, undefined, 'start campaign');
  let status = started.status < 300 ? 'running' : 'failed';
  while (status === 'running' && Date.now() - startedAt < limitMs) {
    sleep(LOOK_EVERY_SECONDS);
    const campaign = read<{ status?: string }>(
      request('GET', `/api/v1/campaigns/${id}`, undefined, '/api/v1/campaigns/{campaign_id}'),
    );
    if (campaign?.status === 'completed') status = 'completed';
  }
  if (status === 'running' && limitMs < ENOUGH_MS) return;
  failed.add(status !== 'completed');
  if (status !== 'completed') return;
  duration.add(Date.now() - startedAt);
  contacts.add(settings.campaignContacts);
}
