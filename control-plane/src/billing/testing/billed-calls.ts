import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { EndReason } from '@voice/shared/contracts/primitives';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { callModel } from '../../calls/record/model.js';
import type { CallResponse } from '../../calls/record/schemas.js';
import { ended, mediaStarted } from '../../calls/testing/events.js';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import { ScriptedWorker } from '../../testing/scripted-worker.js';

/** A tenant with a key of each mode and an agent. */
export interface BilledTenant {
  readonly id: string;
  readonly sandboxKey: string;
  readonly liveKey: string;
  readonly agentId: string;
}

/** What two minutes cost without vendors: 2 started minutes of the carrier, 2 of the service. */
export const TWO_MINUTES_MS = 120_000;
export const TWO_MINUTES_USD = 0.048;

/** Takes calls from their creation to their cost, with a scripted worker and carrier. */
export class BilledCalls {
  private constructor(
    readonly plane: TestControlPlane,
    readonly carrier: ScriptedCarrier,
    readonly worker: ScriptedWorker,
  ) {}

  static async start(
    boot: (env: Readonly<Record<string, string>>) => Promise<TestControlPlane>,
  ): Promise<BilledCalls> {
    const carrier = await ScriptedCarrier.start();
    const plane = await boot(carrier.env);
    const worker = await ScriptedWorker.start({
      id: 'worker-1',
      secret: plane.platform.config.internalSecret,
      capacity: 1000,
    });
    return new BilledCalls(plane, carrier, worker);
  }

  async close(): Promise<void> {
    await this.plane.close();
    await this.worker.close();
    await this.carrier.close();
  }

  async newTenant(name = `tenant ${crypto.randomUUID()}`, agentFields: object = {}): Promise<BilledTenant> {
    const sandbox = await this.plane.newKey({ sandbox: true, tenant: name });
    const live = await this.plane.newKey({ sandbox: false, tenant: name });
    const agent = await this.plane.request('POST', '/api/v1/agents', {
      key: live.key,
      body: {
        name: 'Ann',
        system_prompt: 'Call.',
        voice_config: { stt: { provider: 'local' }, llm: { provider: 'local' }, tts: { provider: 'local' } },
        ...agentFields,
      },
    });
    return {
      id: live.tenantId,
      sandboxKey: sandbox.key,
      liveKey: live.key,
      agentId: (agent.json as { id: string }).id,
    };
  }

  /**
   * A call that was held and is paid for. A production call is dialed on a sandbox line and becomes one while
   * it is live, so that neither the hour nor the callee's region decide whether the test may call.
   */
  async held(
    tenant: BilledTenant,
    options: {
      readonly sandbox?: boolean;
      readonly durationMs?: number;
      readonly endReason?: EndReason;
      readonly usage?: Partial<Extract<CallEventBody, { kind: 'ended' }>['usage']>;
      readonly events?: readonly CallEventBody[];
    } = {},
  ): Promise<CallResponse> {
    const { sandbox = false, durationMs = TWO_MINUTES_MS, usage = {}, events = [] } = options;
    const { endReason = 'agent_hangup' } = options;
    await this.worker.heartbeat(this.plane);
    const made = await this.plane.request('POST', '/api/v1/calls', {
      key: tenant.sandboxKey,
      body: { agent_id: tenant.agentId, from_number: SANDBOX_CALLER_ID, to_number: '+15005550006' },
    });
    if (made.status >= 300) throw new Error(`no call: ${made.text}`);
    const { id } = made.json as { id: string };
    const line = (await eventually(() => this.carrier.callOf(id)))!;
    await this.carrier.report(line, 'in-progress');
    if (!sandbox) {
      await callModel(this.plane.testStore()).updateOne(
        { _id: id },
        { $set: { sandbox: false, carrier: 'twilio' } },
      );
    }
    const last = ended(endReason, durationMs) as Extract<CallEventBody, { kind: 'ended' }>;
    await this.worker.send(
      this.plane,
      this.worker.number(id, [
        mediaStarted(line.sid),
        ...events,
        { ...last, usage: { ...last.usage, ...usage } },
      ]),
    );
    this.worker.held.delete(id);
    return eventually(
      () => this.get(tenant, id, sandbox),
      ({ cost }) => cost !== null,
    );
  }

  async get(tenant: BilledTenant, id: string, sandbox = false): Promise<CallResponse> {
    const key = sandbox ? tenant.sandboxKey : tenant.liveKey;
    const answer = await this.plane.request('GET', `/api/v1/calls/${id}`, { key });
    return answer.json as CallResponse;
  }

  /** The data of the tenant's events of a type, oldest first. */
  async eventsOf(tenant: BilledTenant, type: string): Promise<Record<string, unknown>[]> {
    const rows = await this.plane
      .testStore()
      .collection('events')
      .find({ tenant_id: tenant.id, type })
      .sort({ created_at: 1 })
      .toArray();
    return rows.map(({ body }) => (JSON.parse(String(body)) as { data: Record<string, unknown> }).data);
  }
}
