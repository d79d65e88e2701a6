import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { DashboardPage } from '../../browser/dashboard-page.js';

type Api = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

/** A webhook that takes the start of a call and is deleted then: what it was sent stays listed with the call. */
export class CallWebhook {
  readonly #api: Api;
  readonly #server: Server;
  readonly #id: string;

  private constructor(api: Api, server: Server, id: string) {
    this.#api = api;
    this.#server = server;
    this.#id = id;
  }

  /** Subscribes it: the calls that are placed from now on are its. */
  static async create(api: Api): Promise<CallWebhook> {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(204).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { id } = await api('POST', '/webhooks', {
      url: `http://127.0.0.1:${port}/of-a-call`,
      event_types: ['call.started'],
    });
    expect(id).toEqual(expect.any(String));
    return new CallWebhook(api, server, String(id));
  }

  /** Deletes it once it was sent the start of the call. */
  async deleteAfter(callId: string): Promise<void> {
    await expect
      .poll(() => this.#api('GET', `/calls/${callId}/deliveries`), { timeout: 60_000, interval: 200 })
      .toMatchObject({
        deliveries: [{ webhook_id: this.#id, event_type: 'call.started', status: 'succeeded' }],
      });
    // The answer has no body.
    await this.#api('DELETE', `/webhooks/${this.#id}`).catch(() => {});
    this.#server.close();
  }
}

/** Reads on the call's page what the webhook answered, and sends it again: skipped, for the webhook is gone. */
export async function replayFromCall(dashboard: DashboardPage): Promise<void> {
  const { page } = dashboard;
  const deliveries = page.getByRole('list', { name: 'Deliveries' });
  await deliveries.getByText('Delivered').waitFor();
  await deliveries.getByText('1 attempt').waitFor();
  await deliveries.getByRole('button', { name: 'Inspect the delivery of call.started' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('X-Service-Event: call.started').waitFor();
  await dialog.getByRole('button', { name: 'Send it again' }).click();
  await dialog.getByText('Skipped: the webhook was switched off or deleted.').waitFor();
  await page.keyboard.press('Escape');
  await deliveries.getByText('Replay').waitFor();
  await deliveries.getByText('Skipped').waitFor();
}
