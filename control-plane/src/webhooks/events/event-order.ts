import type { EventType } from './event-types.js';
import type { TenantEvent } from './tenant-events.js';

/** The order in which one receiver is sent the events of one call. */
const ORDER_OF_CALL = [
  'call.started',
  'call.transferred',
  'call.hangup',
  'call.completed',
  'call.failed',
  'campaign.contact.completed',
  'transcript.ready',
  'recording.ready',
  'analysis.ready',
] as const satisfies readonly EventType[];

/** Where an event stands among those of the same subject; events without a subject come in no order. */
export interface EventPlace {
  /** The call that the event is of. */
  readonly subject: string | null;
  /** Lower ones are sent first. */
  readonly rank: number;
}

const NO_PLACE: EventPlace = { subject: null, rank: 0 };

/** Returns the place of an event. Pure. */
export function placeOf({ type, data }: Pick<TenantEvent, 'type' | 'data'>): EventPlace {
  const rank = (ORDER_OF_CALL as readonly EventType[]).indexOf(type);
  if (rank < 0 || !('call_id' in data) || data.call_id === null) return NO_PLACE;
  return { subject: data.call_id, rank };
}
