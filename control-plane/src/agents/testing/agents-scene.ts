import { NO_ACCOUNTS } from '@voice/shared/catalogue/testing/no-accounts';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Config } from '../../config.js';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { LocalModels } from '../provider-list.js';
import type { AgentResponse } from '../schemas.js';
import { AgentsService } from '../service.js';

/** The least that an agent needs. */
export const MINIMAL = { name: 'Receptionist', system_prompt: 'You answer the phone of {{company}}.' };

/** A control plane for the tests of one file, with a tenant of its own for each test. */
export class AgentsScene {
  store!: TestStore;
  plane!: TestControlPlane;
  key!: string;
  tenantId!: string;

  constructor() {
    beforeAll(async () => {
      this.store = await startTestStore();
      this.plane = await startTestControlPlane(this.store.uri);
    });
    beforeEach(async () => {
      ({ key: this.key, tenantId: this.tenantId } = await this.plane.newKey());
    });
    afterAll(async () => {
      await this.plane?.close();
      await this.store?.close();
    });
  }

  request(method: string, path: string, body?: unknown) {
    return this.plane.request(method, path, { key: this.key, ...(body === undefined ? {} : { body }) });
  }

  async create(body: Record<string, unknown> = {}): Promise<AgentResponse> {
    const answer = await this.request('POST', '/api/v1/agents', { ...MINIMAL, ...body });
    expect(answer.text).toContain('"id"');
    expect(answer.status).toBe(201);
    return answer.json as AgentResponse;
  }

  patch(id: string, body: unknown) {
    return this.request('PATCH', `/api/v1/agents/${id}`, body);
  }

  /** Returns where the body is refused. */
  async refusal(body: unknown): Promise<string[]> {
    const answer = await this.request('POST', '/api/v1/agents', body);
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ code: 'validation_error' });
    return (answer.json as { detail: { loc: unknown[] }[] }).detail.map((entry) => entry.loc.join('.'));
  }

  /** The service itself, of an installation with these vendors and models. */
  service(
    given: Partial<Config['vendors']> = {},
    localModels: LocalModels = { stt: null, tts: null },
    ownVendors: readonly string[] = [],
  ): AgentsService {
    const vendors = { ...NO_ACCOUNTS, ...given };
    return new AgentsService({
      ...this.plane.platform,
      events: { emit: async () => {} },
      ownVendors: async () => ownVendors,
      vendors,
      localModels: () => localModels,
      egress: createAddressPolicy([]),
      unknownAction: () => undefined,
      hoursChanged: async () => {},
    });
  }
}
