import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus, type Tenant } from '../../system/tenant.js';

/** Buys a number for the tenant; the agent, if one is named, answers it. */
export async function buyNumber(buyer: Tenant, agentId: string | null): Promise<string> {
  const offers = await buyer.request('GET', '/api/v1/phones/available?limit=1');
  const [offer] = offers.json as unknown as { phone_number: string }[];
  const bought = await buyer.request('POST', '/api/v1/phones', { phone_number: offer!.phone_number });
  const { id } = expectStatus(201, bought).json as { id: string };
  if (agentId) {
    expectStatus(200, await buyer.request('PATCH', `/api/v1/phones/${id}`, { agent_id: agentId }));
  }
  return offer!.phone_number;
}

/** Returns the id of the tenant's call that the carrier knows by this SID; undefined while there is none. */
export async function arrived(called: Tenant, sid: string): Promise<string | undefined> {
  const { json } = await called.request('GET', '/api/v1/calls?direction=inbound&limit=50');
  const { calls } = json as { calls: { id: string; carrier_call_id: string }[] };
  return calls.find(({ carrier_call_id }) => carrier_call_id === sid)?.id;
}

/** Waits for the call that the carrier knows by this SID; its id. */
export async function untilArrived(called: Tenant, sid: string): Promise<string> {
  for (const until = performance.now() + 120_000; performance.now() < until; await sleep(100)) {
    const id = await arrived(called, sid);
    if (id) return id;
  }
  throw new Error(`the call ${sid} did not arrive`);
}
