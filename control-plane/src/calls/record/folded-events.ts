import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import type { CallEventDocument } from './call-event-model.js';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** The kind of the one document that a call's events are in once nothing more of it is to come. */
export const FOLDED = 'folded';

type Stored = Pick<
  CallEventDocument,
  'tenant_id' | 'call_id' | 'seq' | 'kind' | 'body' | 'folded' | 'archived'
>;
/** Reads the events that a document stands for, as JSON. */
export type ReadArchived = (row: Pick<Stored, 'tenant_id' | 'call_id'>) => Promise<readonly string[]>;

/** Returns the one document of all these, in place of them. None may be missing: at least one is there. */
export async function foldedEvents(
  stored: readonly CallEventDocument[],
  now: number,
): Promise<CallEventDocument> {
  const [first] = stored;
  if (!first) throw new Error('there are no events to fold');
  const last = stored.reduce((a, b) => (b.seq > a.seq ? b : a));
  return {
    ...inPlaceOf(last, now),
    folded: await zip((await bodiesOf(stored)).join('\n')),
  };
}

/** Returns the document that stands for all events of a call that are archived, the last of them in hand. */
export const archivedEvents = (last: Last, now: number): CallEventDocument => ({
  ...inPlaceOf(last, now),
  archived: true,
});

type Last = Pick<CallEventDocument, 'tenant_id' | 'call_id' | 'seq' | 'at'>;

const inPlaceOf = ({ tenant_id, call_id, seq, at }: Last, now: number): CallEventDocument => ({
  _id: foldedId(call_id),
  tenant_id,
  call_id,
  // A question for what came after a number finds the document, if any of it did.
  seq,
  kind: FOLDED,
  at,
  received_at: new Date(now),
  body: '',
});

const notExpected: ReadArchived = ({ call_id }) => {
  throw new Error(`the events of ${call_id} are archived`);
};

/** Reads events, folded, archived or neither, by their numbers; each once, also where that was cut short. */
export async function eventsIn(stored: readonly Stored[], archived: ReadArchived): Promise<CallEvent[]> {
  const bodies = stored.some(({ kind }) => kind === FOLDED)
    ? await bodiesOf(stored, archived)
    : stored.map(({ body }) => body);
  // They were held against their schema when they were stored.
  return bodies.map((body) => JSON.parse(body) as CallEvent);
}

/** How long after its last step a call's events stay single, in ms: a worker may send some again. */
export const FOLD_AFTER_MS = 10 * 60_000;

const foldedId = (callId: string): string => `${callId}:${FOLDED}`;

/** Returns the events as JSON, by their numbers, each once. Throws where some are archived and cannot be read. */
export async function bodiesOf(
  stored: readonly Stored[],
  archived: ReadArchived = notExpected,
): Promise<string[]> {
  const bySeq = new Map<number, string>();
  for (const row of stored) {
    if (row.kind !== FOLDED) bySeq.set(row.seq, row.body);
    else {
      const lines = row.archived ? await archived(row) : await linesOf(row.folded);
      for (const line of lines) bySeq.set(seqOf(line), line);
    }
  }
  return [...bySeq].sort(([a], [b]) => a - b).map(([, body]) => body);
}

async function linesOf(folded: Stored['folded']): Promise<string[]> {
  if (!folded) return [];
  // The driver gives binary fields as objects of its own.
  const bytes = Buffer.isBuffer(folded) ? folded : Buffer.from(folded.buffer);
  return (await unzip(bytes)).toString().split('\n');
}

export const seqOf = (body: string): number => (JSON.parse(body) as Pick<CallEvent, 'seq'>).seq;
