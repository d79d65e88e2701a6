import type { TranscriptTurn } from '@voice/shared/contracts/call-events';
import type { TenantId } from '@voice/shared/ids/ids';
import { NEWEST_FIRST, type Position } from '../platform/http/pagination.js';
import type { CallDocument, CallModel } from './record/model.js';
import type { TranscriptModel, TranscriptRow } from './record/transcript-model.js';

/** Calls whose transcripts one question looks through. */
const LOOKED_THROUGH = 300;

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
  /** Where to go on; null where nothing is left. */
  readonly last: Position | null;
}

interface TranscriptSearchOptions {
  readonly calls: CallModel;
  readonly transcripts: TranscriptModel;
}

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
    const looked = await calls
      .find(filter, { _id: 1, created_at: 1, erasing_at: 1 })
      .sort(NEWEST_FIRST)
      .skip(skip)
      .limit(LOOKED_THROUGH)
      .lean<Pick<CallDocument, '_id' | 'created_at' | 'erasing_at'>[]>();
    // Of a call that is being erased nothing is shown, whatever is still there of it.
    const shownAtAll = looked.filter(({ erasing_at }) => !erasing_at);
    const rows = await transcripts
      .find({ _id: { $in: shownAtAll.map(({ _id }) => _id) }, tenant_id: tenant }, { turns: 1 })
      .lean<Pick<TranscriptRow, '_id' | 'turns'>[]>();
    const turns = new Map(rows.map((row) => [row._id, row.turns]));
    const found = shownAtAll.flatMap((call) => {
      const match = matchOf(turns.get(call._id), q);
      return match === undefined ? [] : [{ call, match }];
    });
    const shown = found.slice(0, limit);
    const more = found.length > limit ? shown.at(-1)?.call : undefined;
    const last = more ?? (looked.length === LOOKED_THROUGH ? looked.at(-1) : undefined);
    return {
      matches: shown.map(({ call, match: { role, text, started_at_ms } }) => ({
        call_id: call._id,
        role,
        text,
        started_at_ms,
      })),
      last: last ? { createdAt: last.created_at, id: last._id } : null,
    };
  }
}

/** Returns the first turn that has the words. Pure. */
function matchOf(turns: string | undefined, words: string): TranscriptTurn | undefined {
  // Empty once it is in the archive.
  if (!turns) return undefined;
  const wanted = words.toLowerCase();
  return (JSON.parse(turns) as TranscriptTurn[]).find(({ text }) => text.toLowerCase().includes(wanted));
}
