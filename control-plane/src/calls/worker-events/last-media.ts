import type { CallDocument } from '../record/model.js';

/**
 * Until when the media of a lost call is known to have run, epoch ms: its worker reported it, or an event of it. What
 * the carrier says of the end bounds it. Pure.
 */
export function lastMediaAt(
  call: Pick<CallDocument, 'queued_at' | 'media_started_at' | 'carrier_ended_at'>,
  heldAt: Date | null,
  lastEventAt: number | null,
  now: number,
): number {
  const known = Math.max(
    (call.media_started_at ?? call.queued_at).getTime(),
    heldAt?.getTime() ?? 0,
    lastEventAt ?? 0,
  );
  return Math.min(known, call.carrier_ended_at?.getTime() ?? now, now);
}
