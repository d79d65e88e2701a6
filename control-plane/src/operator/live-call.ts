import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import { isTerminal } from '../calls/call-state.js';
import type { CallDetailResponse } from '../calls/schemas.js';

/** How often a live call is looked at, in ms: whichever replica hears of it, the store tells all of them. */
const LOOK_MS = 500;
/** How often a silent stream says that it lives, in ms, so that no proxy closes it. */
const KEEP_ALIVE_MS = 15_000;

export type LiveEvent =
  | {
      readonly event: 'state';
      readonly data: { readonly status: string; readonly end_reason: string | null };
    }
  | { readonly event: 'turn'; readonly data: CallDetailResponse['transcript'][number] }
  | { readonly event: 'timeline'; readonly data: CallDetailResponse['events'][number] }
  | { readonly event: 'ping'; readonly data: Record<string, never> };

/** What is new in `now` to somebody who has seen `before`. Turns that were corrected are told again. */
export function newsOf(before: CallDetailResponse | null, now: CallDetailResponse): LiveEvent[] {
  const news: LiveEvent[] = [];
  if (before?.status !== now.status) {
    news.push({ event: 'state', data: { status: now.status, end_reason: now.end_reason } });
  }
  const told = new Set(before?.transcript.map((turn) => JSON.stringify(turn)));
  for (const turn of now.transcript) {
    if (!told.has(JSON.stringify(turn))) news.push({ event: 'turn', data: turn });
  }
  const known = new Set(before?.events.map(({ id }) => id));
  for (const entry of now.events) if (!known.has(entry.id)) news.push({ event: 'timeline', data: entry });
  return news;
}

/** Tells a call from its beginning until it is over or `signal` aborts. */
export async function* followCall(options: {
  readonly detail: (tenant: TenantId, callId: string) => Promise<CallDetailResponse>;
  readonly tenant: TenantId;
  readonly callId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): AsyncGenerator<LiveEvent> {
  const { detail, tenant, callId, clock, signal } = options;
  let seen: CallDetailResponse | null = null;
  let spokeAt = clock.monotonic();
  while (!signal.aborted) {
    const now = await detail(tenant, callId);
    for (const news of newsOf(seen, now)) {
      spokeAt = clock.monotonic();
      yield news;
    }
    seen = now;
    if (isTerminal(now.status)) return;
    if (clock.monotonic() - spokeAt >= KEEP_ALIVE_MS) {
      spokeAt = clock.monotonic();
      yield { event: 'ping', data: {} };
    }
    await clock.sleep(LOOK_MS, signal).catch(() => {});
  }
}
