import { z } from 'zod';
import type { CallEvidence, Evidence, TimelineEntry } from './audit.js';
import type { ReplicasClient } from './replicas-client.js';

const callRow = z.object({
  id: z.string(),
  status: z.string(),
  contact_id: z.string().nullable(),
  cost: z.unknown(),
});
const callPage = z.object({ calls: z.array(callRow), next_cursor: z.string().nullable() });
const contactPage = z.object({
  contacts: z.array(z.object({ id: z.string(), attempts: z.number() })),
  has_more: z.boolean(),
});
const usage = z.object({ totals: z.object({ calls: z.number() }) });

export async function readCalls(client: ReplicasClient): Promise<CallEvidence[]> {
  const calls: CallEvidence[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = callPage.parse(await client.request('GET', `/api/v1/calls?limit=500${query}`));
    for (const { id, status, contact_id, cost } of page.calls) {
      calls.push({ id, status, contactId: contact_id, hasCost: cost !== null && cost !== undefined });
    }
    cursor = page.next_cursor;
  }
  return calls;
}

export async function readContacts(
  client: ReplicasClient,
  campaignId: string,
): Promise<Evidence['contacts']> {
  const contacts: { id: string; attempts: number }[] = [];
  for (let more = true; more; ) {
    const path = `/api/v1/campaigns/${campaignId}/contacts?limit=100&offset=${contacts.length}`;
    const page = contactPage.parse(await client.request('GET', path));
    contacts.push(...page.contacts);
    more = page.has_more;
  }
  return contacts;
}

export async function readUsageCalls(client: ReplicasClient): Promise<number> {
  return usage.parse(await client.request('GET', '/api/v1/billing/usage')).totals.calls;
}

const dialed = z.object({ msg: z.literal('dialed'), status_callback: z.string() });

/** Counts from the carrier's own log how often it was asked to dial, by our id of the call. */
export function readDials(logLines: readonly string[]): Map<string, number> {
  const dials = new Map<string, number>();
  for (const line of logLines) {
    if (!line.includes('"status_callback"')) continue;
    const { data } = dialed.safeParse(JSON.parse(line));
    const callId = data && new URL(data.status_callback).searchParams.get('call_id');
    if (callId) dials.set(callId, (dials.get(callId) ?? 0) + 1);
  }
  return dials;
}

const timeline = z.object({ events: z.array(z.object({ id: z.string(), type: z.string() })) });

/** Reads the timeline of each call. */
export async function readTimelines(
  client: ReplicasClient,
  calls: readonly CallEvidence[],
): Promise<Map<string, readonly TimelineEntry[]>> {
  const timelines = new Map<string, readonly TimelineEntry[]>();
  for (const { id } of calls) {
    const { events } = timeline.parse(await client.request('GET', `/api/v1/calls/${id}/detail`));
    timelines.set(id, events);
  }
  return timelines;
}
