import type { Delivery as Attempt } from '../../api/types.js';
import type { Tone } from '../../ui/badge.js';

/** One event on its way to one subscription: all its attempts, the first one first. */
export interface Delivery {
  /** Of the first attempt that is listed. */
  readonly id: string;
  readonly attempts: readonly Attempt[];
  readonly last: Attempt;
}

/**
 * Puts attempts together to deliveries. The API lists attempts (the newest first) and gives each an id of its own; a
 * replay has the event's id too. So an attempt goes on with the oldest delivery of the same event to the same webhook
 * and of the same origin that stands at the attempt before. Returns the deliveries by their latest attempt, the newest
 * first.
 */
export function deliveriesOf(listed: readonly Attempt[]): Delivery[] {
  const chains: Attempt[][] = [];
  // A receiver that refuses at once has two attempts of one millisecond.
  const inOrder = listed
    .toReversed()
    .sort((a, b) => a.created_at.localeCompare(b.created_at) || a.attempt - b.attempt);
  for (const attempt of inOrder) {
    const chain = chains.find((attempts) => {
      const last = attempts.at(-1);
      return (
        last?.event_id === attempt.event_id &&
        last.webhook_id === attempt.webhook_id &&
        last.origin === attempt.origin &&
        last.attempt === attempt.attempt - 1
      );
    });
    if (chain) chain.push(attempt);
    else chains.push([attempt]);
  }
  return chains
    .flatMap((attempts) => {
      const [first, last] = [attempts[0], attempts.at(-1)];
      return first && last ? [{ id: first.id, attempts, last }] : [];
    })
    .sort((a, b) => b.last.created_at.localeCompare(a.last.created_at));
}

const SOON_MS = 15_000;
const POLL_MS = 10_000;
const POLL_PENDING_MS = 1500;

/** How long to wait until deliveries are read again, ms: not long while an attempt is due. `now` in epoch ms. */
export function pollMs(listed: readonly Attempt[], now: number): number {
  const due = listed.some(
    ({ status, next_attempt_at }) =>
      status === 'pending' && (next_attempt_at === null || Date.parse(next_attempt_at) < now + SOON_MS),
  );
  return due ? POLL_PENDING_MS : POLL_MS;
}

/** A delivery's status in a word: one that waits for its next attempt is no failure yet. */
export function statusOf({ last }: Delivery): { readonly word: string; readonly tone: Tone } {
  if (last.status === 'succeeded') return { word: 'Delivered', tone: 'good' };
  if (last.status === 'skipped') return { word: 'Skipped', tone: 'neutral' };
  if (last.status === 'failed') return { word: 'Failed', tone: 'bad' };
  return last.attempt > 1 ? { word: 'Retrying', tone: 'warn' } : { word: 'Pending', tone: 'neutral' };
}

/** The answer that counts: of the last attempt that has ended; null before there is one. */
export function lastAnswered({ attempts }: Delivery): Attempt | null {
  return attempts.findLast(({ status }) => status !== 'pending') ?? null;
}

/** That answer in a few words. */
export function answerText(delivery: Delivery): string {
  const answered = lastAnswered(delivery);
  if (answered === null) return '–';
  return answered.error ?? (answered.response_status === null ? '–' : `${answered.response_status}`);
}

/** The head of a request as every receiver gets it; the signature is made anew for each attempt and kept nowhere. */
export function requestHead({ url, event_type, event_id }: Attempt): string {
  return [
    `POST ${url}`,
    'Content-Type: application/json',
    'User-Agent: webhooks/1.0',
    `X-Service-Event: ${event_type}`,
    `X-Service-Event-Id: ${event_id}`,
    'X-Service-Signature: t=<unix seconds>,v1=<hex>',
  ].join('\n');
}

/** A body with a line for each field; as it is where it is no JSON. The signature is over the bytes without them. */
export function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
