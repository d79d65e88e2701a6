import type { CarrierName } from '@voice/shared/catalogue/carriers';
import type { CallResponse } from '../../../calls/record/schemas.js';
import {
  startTestControlPlane,
  type TestAnswer,
  type TestControlPlane,
} from '../../../testing/control-plane.js';
import { eventually } from '../../../testing/eventually.js';
import { createAgent } from '../../../testing/installation.js';
import { ScriptedWorker } from '../../../testing/scripted-worker.js';
import { startTestStore, type TestStore } from '../../../testing/store.js';
import type { PhoneNumberResponse } from '../../phones/schemas.js';

/** A person behind a carrier's emulator, and somebody whom calls are transferred to. */
export const CALLEE = '+13125550150';
export const HUMAN = '+13125550160';
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const ALWAYS_OPEN = Object.fromEntries(DAYS.map((day) => [day, { start: '00:00', end: '24:00' }]));

/** A control plane that dials by an emulated carrier, and a worker that does what the test says. */
export class CarrierInstallation {
  private constructor(
    private readonly provider: CarrierName,
    readonly store: TestStore,
    readonly plane: TestControlPlane,
    readonly worker: ScriptedWorker,
  ) {}

  /** `env` says where the emulator is, and its credentials. */
  static async start(
    provider: CarrierName,
    env: Readonly<Record<string, string>>,
  ): Promise<CarrierInstallation> {
    const store = await startTestStore();
    const plane = await startTestControlPlane(store.uri, {
      env: { VERIFICATION_FROM_NUMBER: '+13125550101', ...env },
    });
    const secret = plane.platform.config.internalSecret;
    const worker = await ScriptedWorker.start({ id: 'worker-1', secret, capacity: 100 });
    return new CarrierInstallation(provider, store, plane, worker);
  }

  async close(): Promise<void> {
    await this.plane.close();
    await this.worker.close();
    await this.store.close();
  }

  /** Makes a tenant in production, with an agent that may always call and a number bought at the carrier. */
  async newTenant(): Promise<CarrierTenant> {
    const { plane, provider, worker } = this;
    const { key } = await plane.newKey({ sandbox: false });
    const agentId = await createAgent(plane, key, { calling_hours: ALWAYS_OPEN });
    const own = await buyNumber(plane, key, provider);
    await worker.heartbeat(plane);
    return new CarrierTenant(plane, key, agentId, own);
  }
}

/** A tenant that calls by the carrier. */
export class CarrierTenant {
  constructor(
    private readonly plane: TestControlPlane,
    readonly key: string,
    readonly agentId: string,
    /** Its number. */
    readonly own: PhoneNumberResponse,
  ) {}

  async call(id: string): Promise<CallResponse> {
    return (await this.plane.request('GET', `/api/v1/calls/${id}`, { key: this.key })).json as CallResponse;
  }

  untilStatus(id: string, status: string): Promise<CallResponse> {
    return eventually(
      () => this.call(id),
      (call) => call.status === status,
    );
  }

  /** Makes a call; resolves when the carrier has taken it. */
  async dial(to: string): Promise<CallResponse> {
    const { status, json, text } = await this.plane.request('POST', '/api/v1/calls', {
      key: this.key,
      body: { agent_id: this.agentId, from_number: this.own.phone_number, to_number: to },
    });
    if (status !== 202) throw new Error(`no call: ${status} ${text}`);
    return eventually(
      () => this.call((json as { id: string }).id),
      (call) => call.carrier_call_id !== null,
    );
  }

  transfer(id: string, body: object = {}): Promise<TestAnswer> {
    const { key } = this;
    return this.plane.request('POST', `/api/v1/calls/${id}/transfer`, {
      key,
      body: { destination: HUMAN, ...body },
    });
  }
}

async function buyNumber(
  plane: TestControlPlane,
  key: string,
  provider: CarrierName,
): Promise<PhoneNumberResponse> {
  const path = `/api/v1/phones/available?provider=${provider}&area_code=646&limit=1`;
  const [offer] = (await plane.request('GET', path, { key })).json as { phone_number: string }[];
  const body = { phone_number: offer?.phone_number, provider };
  const { status, json, text } = await plane.request('POST', '/api/v1/phones', { key, body });
  if (status !== 201) throw new Error(`no number: ${status} ${text}`);
  return json as PhoneNumberResponse;
}
