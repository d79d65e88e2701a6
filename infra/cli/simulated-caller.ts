import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type ApiClient, ApiError } from '../installation/api-client.js';
import type { RunningCarrier } from './running-system.js';

const TIMEOUT_MS = 15_000;
/** How long the call may take to reach the API, in ms, and how often it is looked for. */
const ARRIVES_WITHIN_MS = 20_000;
const LOOK_MS = 1000;
/** Numbers of other tenants are offered again by a carrier that was restarted, so some offers are taken. */
const OFFERS = 20;

const started = z.object({ sid: z.string() });
const account = z.object({ status: z.string(), said: z.array(z.string()) });
const numberRow = z.object({
  id: z.string(),
  phone_number: z.string(),
  source: z.string(),
  agent_id: z.string().nullable(),
});
type NumberRow = z.infer<typeof numberRow>;
const numbers = z.object({ phone_numbers: z.array(numberRow) });
const offers = z.array(z.object({ phone_number: z.string() }));
const calls = z.object({
  calls: z.array(z.object({ id: z.string(), carrier_call_id: z.string().nullable() })),
});
const nothing = z.unknown();

export type Arrival =
  /** The call as the API knows it. */
  | { readonly kind: 'call'; readonly id: string }
  /** Nobody took it: what the caller heard. */
  | { readonly kind: 'turned_away'; readonly said: readonly string[] };

/** Lets a simulated person call a number of the tenant, which the agent answers. */
export class SimulatedCaller {
  constructor(
    private readonly api: ApiClient,
    private readonly carrier: RunningCarrier,
  ) {}

  /** Finds or buys the tenant's sandbox number, and has the agent answer it. */
  async numberOf(agentId: string): Promise<string> {
    const { value } = await this.api.request(numbers, 'GET', '/api/v1/phones');
    const owned = value.phone_numbers.filter(({ source }) => source === 'purchased');
    for (const number of owned) {
      if (await this.#isSold(number.phone_number)) return this.#assign(number, agentId);
      // The carrier keeps its numbers in memory: this one is from before it was restarted.
      await this.api.request(nothing, 'DELETE', `/api/v1/phones/${number.id}`);
    }
    return this.#assign(await this.#buy(), agentId);
  }

  /** Lets the person call; resolves when the API has the call, or the carrier has ended it. */
  async call(from: string, to: string): Promise<Arrival> {
    const form = new URLSearchParams({ From: from, To: to });
    const { sid } = await this.#ask(started, '/simulation/calls', form);
    for (
      const until = performance.now() + ARRIVES_WITHIN_MS;
      performance.now() < until;
      await sleep(LOOK_MS)
    ) {
      const path = '/api/v1/calls?direction=inbound&limit=20';
      const { value } = await this.api.request(calls, 'GET', path);
      const arrived = value.calls.find(({ carrier_call_id: id }) => id === sid);
      if (arrived) return { kind: 'call', id: arrived.id };
      const { status, said } = await this.#ask(account, `/simulation/calls/${sid}`);
      if (status === 'completed' || status === 'failed') return { kind: 'turned_away', said };
    }
    throw new Error('The call did not reach the API. What does “npm start” say?');
  }

  async #buy(): Promise<NumberRow> {
    const path = `/api/v1/phones/available?limit=${OFFERS}`;
    const { value: found } = await this.api.request(offers, 'GET', path);
    for (const { phone_number } of found) {
      try {
        return (await this.api.request(numberRow, 'POST', '/api/v1/phones', { phone_number })).value;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409) throw error;
      }
    }
    throw new Error('The simulated carrier has no number for sale that is free.');
  }

  async #assign({ id, phone_number, agent_id }: NumberRow, agentId: string): Promise<string> {
    if (agent_id !== agentId) {
      await this.api.request(nothing, 'PATCH', `/api/v1/phones/${id}`, { agent_id: agentId });
    }
    return phone_number;
  }

  async #isSold(number: string): Promise<boolean> {
    const path = `/2010-04-01/Accounts/${this.carrier.accountSid}/IncomingPhoneNumbers.json`;
    const listed = z.object({ incoming_phone_numbers: z.array(z.unknown()) });
    const query = new URLSearchParams({ PhoneNumber: number });
    return (await this.#ask(listed, `${path}?${query}`)).incoming_phone_numbers.length > 0;
  }

  async #ask<Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    form?: URLSearchParams,
  ): Promise<z.infer<Schema>> {
    const { url, accountSid, authToken } = this.carrier;
    const basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
    const response = await fetch(`${url}${path}`, {
      ...(form ? { method: 'POST', body: form } : {}),
      headers: { authorization: `Basic ${basic}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) {
      throw new Error(`The simulated carrier refuses: ${response.status} ${await response.text()}`);
    }
    return schema.parse(await response.json());
  }
}
