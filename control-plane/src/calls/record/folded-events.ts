import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import type { CallEventDocument } from './call-event-model.js';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** The kind of the one document that a call's events are in once nothing more of it is to come. */
export const FOLDED = 'folded';

type Stored = Pick<CallEventDocument, 'seq' | 'kind' | 'body' | 'folded'>;

/** Returns the one document of all these, in place of them. None may be missing: at least one is there. */
export async function foldedEvents(
  stored: readonly CallEventDocument[],
  now: number,
): Promise<CallEventDocument> {
  const [first] = stored;
  if (!first) throw new Error('there are no events to fold');
  const last = stored.reduce((a, b) => (b.seq > a.seq ? b : a));
  const bodies = await bodiesOf(stored);
  return {
    _id: foldedId(first.call_id),
    tenant_id: first.tenant_id,
    call_id: first.call_id,
    // A question for what came after a number finds the document, if any of it did.
    seq: last.seq,
    kind: FOLDED,
    at: last.at,
    received_at: new Date(now),
    body: '',
    folded: await zip(bodies.join('\n')),
  };
}

/** Reads events, folded or not, by their numbers; each once, also where folding was cut short. */
export async function eventsIn(stored: readonly Stored[]): Promise<CallEvent[]> {
  const bodies = stored.some(({ kind }) => kind === FOLDED)
    ? await bodiesOf(stored)
    : stored.map(({ body }) => body);
  // They were held against their schema when they were stored.
  return bodies.map((body) => JSON.parse(body) as CallEvent);
}

/** How long after its last step a call's events stay single, in ms: a worker may send some again. */
export const FOLD_AFTER_MS = 10 * 60_000;

const foldedId = (callId: string): string => `${callId}:${FOLDED}`;

/** Returns the events as JSON, by their numbers. */
async function bodiesOf(stored: readonly Stored[]): Promise<string[]> {
  const bySeq = new Map<number, string>();
  for (const { kind, folded, seq, body } of stored) {
    if (kind !== FOLDED) bySeq.set(seq, body);
    else for (const line of await linesOf(folded)) bySeq.set(seqOf(line), line);
  }
  return [...bySeq].sort(([a], [b]) => a - b).map(([, body]) => body);
}

async function linesOf(folded: Stored['folded']): Promise<string[]> {
  if (!folded) return [];
  // The driver gives binary fields as objects of its own.
  const bytes = Buffer.isBuffer(folded) ? folded : Buffer.from(folded.buffer);
  return (await unzip(bytes)).toString().split('\n');
}

const seqOf = (body: string): number => (JSON.parse(body) as Pick<CallEvent, 'seq'>).seq;
