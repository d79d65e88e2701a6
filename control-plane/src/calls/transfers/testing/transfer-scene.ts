import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import type { TestAnswer } from '../../../testing/control-plane.js';
import { eventually } from '../../../testing/eventually.js';
import { createAgent, startTestInstallation, type TestInstallation } from '../../../testing/installation.js';
import type { DialedCall } from '../../../testing/scripted-carrier.js';
import { WebhookReceiver } from '../../../testing/webhook-receiver.js';
import { mediaStarted } from '../../testing/events.js';

const CALLEE = '+15005550006';
/** To whom calls are transferred. */
export const HUMAN = '+15005550014';

export interface TransferredCall {
  readonly status: string;
  readonly end_reason: string | null;
  readonly extra: { readonly transfer_in_progress: boolean };
}

/** The code of a refusal beside its status. */
export const refusal = ({ status, json }: TestAnswer) => [status, (json as { code: string }).code];

/** A control plane with a carrier, a worker and a tenant that subscribes to its transfers. */
export class TransferScene {
  key = '';
  #installation!: TestInstallation;
  #receiver!: WebhookReceiver;
  #agentId = '';

  async start(): Promise<void> {
    this.#receiver = await WebhookReceiver.start();
    const env = { EGRESS_ALLOW: '127.0.0.0/8' };
    this.#installation = await startTestInstallation({ env, capacity: 100 });
  }

  async close(): Promise<void> {
    await this.#installation?.close();
    await this.#receiver?.close();
  }

  get store() {
    return this.#installation.store;
  }

  get carrier() {
    return this.#installation.carrier;
  }

  get plane() {
    return this.#installation.plane;
  }

  get worker() {
    return this.#installation.worker;
  }

  /** A new tenant with an agent and a subscription; the carrier does what it is asked for again. */
  async renew(): Promise<void> {
    const { carrier, plane, worker } = this;
    carrier.redirectMode = 'takes';
    carrier.beforeRedirect = async () => {};
    carrier.mode = 'takes';
    ({ key: this.key } = await plane.newKey());
    const { key } = this;
    this.#agentId = await createAgent(plane, key);
    const hook = { url: this.#receiver.url(), event_types: ['call.transferred'], sandbox: true };
    await plane.request('POST', '/api/v1/webhooks', { key, body: hook });
    await worker.heartbeat(plane);
  }

  /** A call in progress, and its line at the carrier. */
  readonly live = async (): Promise<{ id: string; line: DialedCall }> => {
    const { carrier, plane, worker, key } = this;
    const body = { agent_id: this.#agentId, from_number: SANDBOX_CALLER_ID, to_number: CALLEE };
    const { id } = (await plane.request('POST', '/api/v1/calls', { key, body })).json as { id: string };
    const line = (await eventually(() => carrier.callOf(id)))!;
    await carrier.report(line, 'in-progress');
    await worker.send(plane, worker.number(id, [mediaStarted(line.sid)]));
    await eventually(
      () => this.call(id),
      ({ status }) => status === 'IN_PROGRESS',
    );
    return { id, line };
  };

  readonly call = async (id: string): Promise<TransferredCall> =>
    (await this.plane.request('GET', `/api/v1/calls/${id}`, { key: this.key })).json as TransferredCall;

  readonly transfer = (id: string, body: object = {}, headers = {}): Promise<TestAnswer> =>
    this.plane.request('POST', `/api/v1/calls/${id}/transfer`, {
      key: this.key,
      body: { destination: HUMAN, ...body },
      headers,
    });

  /** The webhook deliveries about the call. */
  readonly deliveriesOf = (id: string) =>
    this.#receiver.received.filter(({ event }) => event.data.call_id === id);

  /** The commands that the call's worker received, each once: it carries one out once, however often it comes. */
  readonly commandsOf = (id: string) => {
    const sent = this.worker.commands.filter(({ callId }) => callId === id);
    return [...new Map(sent.map(({ command }) => [command.command_id, command.command])).values()];
  };

  /** The human's call of a warm transfer. */
  readonly legOf = (transferId: string): DialedCall | undefined =>
    this.carrier.dialed.find(({ form }) => form.StatusCallback?.includes(`transfer_id=${transferId}`));
}
