import { after, type CursorCodec, NEWEST_FIRST } from '../../platform/http/pagination.js';
import { ScopedCollection } from '../../platform/store/tenant-collection.js';
import { scopeName, type TenantScope } from '../../platform/store/tenant-scope.js';
import type { EventListResponse } from '../schemas.js';
import type { EventType } from './event-types.js';
import type { EventModel, EventRow } from './model.js';

/** Events that one question looks through for those of a type. */
export const LOOKED_THROUGH = 500;

interface EventLogOptions {
  readonly events: EventModel;
  readonly cursors: CursorCodec;
}

interface EventsPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly event_type?: EventType | undefined;
}

/** What was published, whether or not anybody subscribed to it. */
export class EventLog {
  readonly #rows: ScopedCollection<EventRow>;
  readonly #cursors: CursorCodec;

  constructor({ events, cursors }: EventLogOptions) {
    this.#rows = new ScopedCollection(events);
    this.#cursors = cursors;
  }

  /** Lists events, the newest first; a page may be short where some are left out, and others follow all the same. */
  async list(
    scope: TenantScope,
    { limit, cursor, event_type: type }: EventsPage,
  ): Promise<EventListResponse> {
    const place = `events/${scopeName(scope)}`;
    const position = cursor === undefined ? undefined : this.#cursors.decode(place, cursor);
    const most = type === undefined ? limit + 1 : Math.max(limit + 1, LOOKED_THROUGH);
    // Of what is only looked through, bodies would be nearly all that is read.
    const rows = await this.#rows.findPageWithout(scope, 'body', position ? after(position) : {}, {
      sort: NEWEST_FIRST,
      limit: most,
    });
    const fitting = rows.filter((row) => !row.is_test && (type === undefined || row.type === type));
    const shown = fitting.slice(0, limit);
    const last = fitting.length > limit ? shown.at(-1) : rows.length === most ? rows.at(-1) : undefined;
    const bodies = await this.#bodiesOf(scope, shown);
    return {
      events: shown.flatMap((row) => {
        const body = bodies.get(row._id);
        return body === undefined ? [] : [present(row, body)];
      }),
      has_more: last !== undefined,
      next_cursor: last ? this.#cursors.encode(place, { createdAt: last.created_at, id: last._id }) : null,
    };
  }

  /** Returns the bodies by event; one whose time has come meanwhile has none. */
  async #bodiesOf(scope: TenantScope, shown: readonly Listed[]): Promise<ReadonlyMap<string, string>> {
    const ids = shown.map(({ _id }) => _id);
    if (ids.length === 0) return new Map();
    const rows = await this.#rows.findPage(
      scope,
      { _id: { $in: ids } },
      { sort: { _id: 1 }, limit: ids.length },
    );
    return new Map(rows.map(({ _id, body }) => [_id, body]));
  }
}

type Listed = Omit<EventRow, 'body'>;

const present = ({ _id, type, subject, created_at }: Listed, body: string) => ({
  id: _id,
  event_type: type,
  call_id: subject ?? null,
  body,
  created_at: created_at.toISOString(),
});
