import { newId } from '@voice/shared/ids/ids';
import { expect } from 'vitest';
import {
  type IntegrationsEmulator,
  startIntegrationsEmulator,
} from '../../../../loadtest/emulators/integrations/server.js';
import { agentMessage, ended } from '../../calls/testing/events.js';
import type { TestAnswer } from '../../testing/control-plane.js';
import { type SimulatedCarrierProcess, startSimulatedCarrier } from '../../testing/simulated-carrier.js';
import { CALLEE, Scene, type Tenant } from '../scene.js';

export const CLERK_SECRET = `whsec_${Buffer.from('a secret of the identity provider').toString('base64')}`;
export const SDP = 'v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=rtpmap:111 opus/48000/2\r\n';

/** How an endpoint is called. */
export interface EndpointCall {
  /** For the path's parameters, in their order. */
  readonly ids?: readonly string[];
  /** By which of the tenant's keys; by default the sandbox's. */
  readonly by?: 'test' | 'live' | 'nobody';
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Looks at what the endpoint has done besides answering. */
  readonly check?: (answer: TestAnswer) => Promise<void>;
}

/** A tenant, and everything whose endpoints are called. */
export class Ground {
  #serial = 0;

  private constructor(
    readonly scene: Scene,
    readonly tenant: Tenant,
    readonly vendors: IntegrationsEmulator,
    readonly twilio: SimulatedCarrierProcess,
  ) {}

  static async set(): Promise<Ground> {
    const [vendors, twilio] = await Promise.all([startIntegrationsEmulator(), startSimulatedCarrier()]);
    const scene = await Scene.set({
      ...vendors.env,
      ...twilio.twilioEnv,
      CLERK_WEBHOOK_SECRET: CLERK_SECRET,
      VERIFICATION_FROM_NUMBER: '+14155550100',
    });
    return new Ground(scene, await scene.newTenant(), vendors, twilio);
  }

  async close(): Promise<void> {
    await this.scene.close();
    await Promise.all([this.vendors.close(), this.twilio.close()]);
  }

  get<T = Record<string, unknown>>(path: string, key = this.tenant.test): Promise<T> {
    return this.scene.json<T>(key, 'GET', `/api/v1${path}`);
  }
  post<T = { id: string }>(path: string, body: object = {}, key = this.tenant.test): Promise<T> {
    return this.scene.json<T>(key, 'POST', `/api/v1${path}`, body);
  }
  async statusOf(path: string, key = this.tenant.test): Promise<number> {
    return (await this.scene.ask(key, 'GET', `/api/v1${path}`)).status;
  }

  async agent(): Promise<string> {
    return (await this.post('/agents', { name: 'Ann', system_prompt: 'You call.' })).id;
  }
  /** A call in progress, whose carrier takes new instructions. */
  async liveCall(): Promise<string> {
    const { id, line } = await this.scene.answered(this.tenant);
    await this.scene.carrier.report(line, 'in-progress');
    return id;
  }
  async recordedCall(): Promise<string> {
    const { id } = await this.scene.answered(this.tenant);
    await this.scene.report(id, agentMessage(0, 'Hello.'), {
      ...ended('agent_hangup', 3900),
      has_recording: true,
    } as never);
    await this.scene.upload(id);
    return id;
  }
  campaign(more: object = {}): Promise<{ id: string }> {
    const contacts = [{ phone: CALLEE }];
    return this.post('/campaigns', { name: 'Spring', agent_id: this.tenant.agentId, contacts, ...more });
  }
  async contactOf(campaignId: string): Promise<string> {
    const { contacts } = await this.get<{ contacts: { id: string }[] }>(`/campaigns/${campaignId}/contacts`);
    return contacts[0]!.id;
  }
  /** A subscription with a URL of its own. */
  webhook(): Promise<{ id: string }> {
    return this.post('/webhooks', { url: this.scene.receiver.url(`/endpoint-${this.#serial++}`) });
  }
  async delivery(): Promise<{ id: string; event_id: string; webhook_id: string }> {
    const { id } = await this.webhook();
    return this.post(`/webhooks/${id}/test`, { event_type: 'agent.activated', payload: {} });
  }
  async numberForSale(): Promise<string> {
    const found = await this.get<{ phone_number: string }[]>('/phones/available?limit=1', this.tenant.live);
    return found[0]!.phone_number;
  }
  /** A number that was bought. */
  async phone(): Promise<{ id: string; phone_number: string }> {
    const phone_number = await this.numberForSale();
    return this.post('/phones', { phone_number }, this.tenant.live);
  }
  /** How often the carrier has the number as ours. */
  async ownedAtCarrier(number: string): Promise<number> {
    const path = `IncomingPhoneNumbers.json?PhoneNumber=${encodeURIComponent(number)}`;
    const { json } = await this.twilio.rest('GET', path);
    return (json as { incoming_phone_numbers: object[] }).incoming_phone_numbers.length;
  }
  connected(slug: 'notion' | 'cal-com' = 'notion'): Promise<unknown> {
    const fields = slug === 'notion' ? { token: this.vendors.key } : { api_key: this.vendors.key };
    return this.post(`/integrations/${slug}/api-key-connect`, fields, this.tenant.live);
  }
  /** More rows of the store like the one of this id, each a second older; `changes` are for the nth, from 1. */
  async copies(
    collection: string,
    id: string,
    count: number,
    changes: (n: number) => object = () => ({}),
  ): Promise<void> {
    const rows = (await this.scene.store.connect()).db!.collection<{ _id: string }>(collection);
    const row = await rows.findOne({ _id: id });
    const at = Date.now();
    const older = (n: number) => ({
      created_at: new Date(at - n * 1000),
      started_at: new Date(at - n * 1000),
    });
    await rows.insertMany(
      Array.from({ length: count }, (_, n) => ({
        ...row,
        ...older(n + 1),
        ...changes(n + 1),
        _id: newId(),
      })),
    );
  }
  session(kind: 'webrtc' | 'websocket'): Promise<{ session_id: string }> {
    return this.post(`/agents/${this.tenant.agentId}/test/${kind}`);
  }
}

/** Endpoints of a group, each called as its row of the specification says; by method and path. */
export type EndpointCalls = Readonly<Record<string, (ground: Ground) => Promise<EndpointCall>>>;

export const idOf = (json: unknown) => (json as { id: string }).id;
export const namesId = (id: string) => async (answer: TestAnswer) => expect(idOf(answer.json)).toBe(id);
