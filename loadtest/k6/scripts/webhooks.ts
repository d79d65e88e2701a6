import { sleep } from 'k6';
import http from 'k6/http';
import { Rate, Trend } from 'k6/metrics';
import { read, request } from './api.ts';
import { settings } from './settings.ts';

/** From `POST /calls` to the arrival of the event of the call's end: dispatch, the carrier's refusal, delivery. */
const delivery = new Trend('webhook_delivery_ms', true);
const failed = new Rate('webhook_failed');

/** An event that has not come by then has failed, in ms. */
const LONGEST_MS = 20_000;
const LOOK_EVERY_SECONDS = 0.1;

interface Received {
  /** When the first event of the call arrived, as `Date.now()`; null while it has not come. */
  readonly arrived_at: number | null;
}

/** Dials a person that the carrier cannot reach, and waits until the receiver has the event of the call's end. */
export function webhook(): void {
  const startedAt = Date.now();
  const asked = request('POST', '/api/v1/calls', {
    agent_id: settings.agentId,
    from_number: settings.callerId,
    to_number: settings.numbers.rejects,
  });
  const id = read<{ id?: string }>(asked)?.id;
  if (asked.status !== 202 || !id) {
    failed.add(true);
    sleep(1);
    return;
  }
  let arrivedAt: number | null = null;
  while (arrivedAt === null && Date.now() - startedAt < LONGEST_MS) {
    sleep(LOOK_EVERY_SECONDS);
    const answer = http.get(`${settings.receiverUrl}/received/${id}`, {
      tags: { name: 'receiver' },
      responseType: 'text',
    });
    arrivedAt = read<Received>(answer)?.arrived_at ?? null;
  }
  failed.add(arrivedAt === null);
  if (arrivedAt !== null) delivery.add(arrivedAt - startedAt);
}
