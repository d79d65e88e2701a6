import type { Clock } from '@voice/shared/clock/clock';
import type { TranscriptTurn } from '@voice/shared/contracts/call-events';
import type { TenantId } from '@voice/shared/ids/ids';
import { NEWEST_FIRST, type Position } from '../platform/http/pagination.js';
import { type ArchivePlace, type CallArchive, placeOf } from './archive/call-archive.js';
import type { CallDocument, CallModel } from './record/model.js';
import type { TranscriptModel, TranscriptRow } from './record/transcript-model.js';

/** Calls whose transcripts one question looks through, … */
const LOOKED_THROUGH = 300;
/** … so many read at once: each may be megabytes, and others wait while it is looked through, … */
const READ_AT_ONCE = 20;
/** … of them archived ones, each an object to fetch, … */
const ARCHIVED = 40;
/** … so many at a time, … */
const AT_ONCE = 8;
/** … and none begun after so long, in ms. */
const READING_MS = 2000;

/** Where in a call something was said. */
interface TranscriptMatch {
  readonly call_id: string;
  readonly role: TranscriptTurn['role'];
  readonly text: string;
  readonly started_at_ms: number;
}

/** Some of the calls in which something was said. */
interface FoundCalls {
  /** By the first turn in which it was said; the newest call first. */
  readonly matches: readonly TranscriptMatch[];
  /** How many calls were looked through, up to where to go on. */
  readonly lookedThrough: number;
  /** How many of them lie in an archive that cannot be read. */
  readonly unreadable: number;
  /** Where to go on; null where nothing is left. */
  readonly last: Position | null;
}

interface TranscriptSearchOptions {
  readonly calls: CallModel;
  readonly transcripts: TranscriptModel;
  readonly archive: Pick<CallArchive, 'turnsOf'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** What is read of a call to look through it. */
type LookedCall = Pick<
  CallDocument,
  '_id' | 'tenant_id' | 'created_at' | 'erasing_at' | 'archive_key' | 'archive_secret' | 'archived_at'
>;

/** The first turn that has the words, by call; undefined for a transcript that has not got them. */
type Matches = Map<string, TranscriptTurn | undefined>;

/** Finds calls by what was said in them, among so many of the newest at a time. */
export class TranscriptSearch {
  readonly #options: TranscriptSearchOptions;

  constructor(options: TranscriptSearchOptions) {
    this.#options = options;
  }

  /** Looks through the calls that fit the filter for the words, as they are written but for upper and lower case. */
  async find(
    tenant: TenantId,
    filter: object,
    { q, skip, limit }: { readonly q: string; readonly skip: number; readonly limit: number },
  ): Promise<FoundCalls> {
    const { calls, transcripts } = this.#options;
    const chosen = await calls
      .find(filter, {
        _id: 1,
        tenant_id: 1,
        created_at: 1,
        erasing_at: 1,
        archive_key: 1,
        archive_secret: 1,
        archived_at: 1,
      })
      .sort(NEWEST_FIRST)
      .skip(skip)
      .limit(LOOKED_THROUGH)
      .lean<LookedCall[]>();
    // Of a call that is being erased nothing is shown, whatever is still there of it.
    const shownAtAll = chosen.filter(({ erasing_at }) => !erasing_at).map(({ _id }) => _id);
    const rows = transcripts
      .find({ _id: { $in: shownAtAll }, tenant_id: tenant }, { turns: 1 })
      .lean<Pick<TranscriptRow, '_id' | 'turns'>[]>()
      .cursor({ batchSize: READ_AT_ONCE });
    const matches: Matches = new Map();
    for await (const { _id, turns } of rows) if (turns) matches.set(_id, matchOf(turns, q));
    const { looked, unreadable } = await this.#readArchives(chosen, matches, q);
    const found = looked.flatMap((call, at) => {
      const match = matches.get(call._id);
      return match ? [{ call, at, match }] : [];
    });
    const shown = found.slice(0, limit);
    // A page that is full ends there, and the next one looks through what is after it again.
    const full = found.length > limit ? shown.at(-1) : undefined;
    const through = full ? full.at + 1 : looked.length;
    const isLeft = full !== undefined || looked.length < chosen.length || chosen.length === LOOKED_THROUGH;
    const last = isLeft ? looked[through - 1] : undefined;
    return {
      matches: shown.map(({ call, match: { role, text, started_at_ms } }) => ({
        call_id: call._id,
        role,
        text,
        started_at_ms,
      })),
      lookedThrough: through,
      unreadable: looked.slice(0, through).filter(({ _id }) => unreadable.has(_id)).length,
      last: last ? { createdAt: last.created_at, id: last._id } : null,
    };
  }

  /**
   * Looks through the archived ones as well, of as many calls as one question reads. Returns the calls that were looked
   * through: all up to the first that was too much.
   */
  async #readArchives(
    chosen: readonly LookedCall[],
    matches: Matches,
    words: string,
  ): Promise<{ readonly looked: readonly LookedCall[]; readonly unreadable: ReadonlySet<string> }> {
    const { archive, clock } = this.#options;
    const archived = chosen.flatMap((call, at) => {
      // In the middle of being archived, its transcript is still here.
      const isElsewhere = call.archived_at && !call.erasing_at && !matches.has(call._id);
      const place = isElsewhere ? placeOf(call) : null;
      return place ? [{ place, at }] : [];
    });
    const until = clock.monotonic() + READING_MS;
    const unreadable = new Set<string>();
    const read = async (place: ArchivePlace) => {
      try {
        const turns = await archive.turnsOf(place);
        if (turns !== null) matches.set(place._id, matchOf(turns, words));
      } catch {
        // Whether it will be there again or not: the others are looked through, and the answer says of how many not.
        unreadable.add(place._id);
      }
    };
    let begun = 0;
    const reader = async () => {
      // The first are read however long it takes, so that each page gets on.
      while (begun < Math.min(archived.length, ARCHIVED) && (begun < AT_ONCE || clock.monotonic() < until)) {
        const next = archived[begun];
        begun += 1;
        if (next) await read(next.place);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, reader));
    return { looked: chosen.slice(0, archived[begun]?.at ?? chosen.length), unreadable };
  }
}

/** Returns the first turn that has the words. Pure. */
function matchOf(turns: string, words: string): TranscriptTurn | undefined {
  const wanted = words.toLowerCase();
  return (JSON.parse(turns) as TranscriptTurn[]).find(({ text }) => text.toLowerCase().includes(wanted));
}
