/** What is known after the run, from the API, from the webhooks, and from the carrier, which saw no fault. */
export interface Evidence {
  readonly calls: readonly CallEvidence[];
  readonly contacts: readonly { readonly id: string; readonly attempts: number }[];
  /** As they were delivered; a delivery may come more than once. */
  readonly events: readonly EventEvidence[];
  /** How often the carrier was asked to dial, by our id of the call. */
  readonly dials: ReadonlyMap<string, number>;
  /** Calls that the usage of the tenant counts. */
  readonly usageCalls: number;
  readonly writes: readonly WriteEvidence[];
  /** Ids of events that the receiver refused when they came for the first time. */
  readonly refusedEvents: ReadonlySet<string>;
  readonly commands: readonly CommandEvidence[];
  /** Ids of the timeline of calls that have ended, by the call. */
  readonly timelines: ReadonlyMap<string, readonly TimelineEntry[]>;
  readonly leaks: readonly { readonly where: string; readonly which: string }[];
}

export interface TimelineEntry {
  readonly id: string;
  readonly type: string;
}

export interface CallEvidence {
  readonly id: string;
  readonly status: string;
  readonly contactId: string | null;
  readonly hasCost: boolean;
}

export interface EventEvidence {
  readonly eventId: string;
  readonly type: string;
  readonly callId: string | null;
  /** A digest of the bytes that came. */
  readonly body: string;
  readonly isSigned: boolean;
}

/** A command to a live call that a 202 acknowledged. */
export interface CommandEvidence {
  readonly callId: string;
  readonly action: string;
  /** Whether the call's audit log has it. */
  readonly isAudited: boolean;
}

/** One value that was written again and again. */
export interface WriteEvidence {
  readonly id: string;
  /** The last value that a 2xx acknowledged. */
  readonly acknowledged: string;
  /** Values that were sent, before or after it, and never acknowledged: each may be written at any later time. */
  readonly unacknowledged: readonly string[];
  /** As it is read at the end; null: not there. */
  readonly found: string | null;
}

const TERMINAL: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'BUSY', 'NO_ANSWER', 'VOICEMAIL']);
const ENDS: ReadonlySet<string> = new Set(['call.completed', 'call.failed']);
/** The event that must have published a status: each end has one. A status that is no end needs none. */
const REQUIRED: Readonly<Record<string, string>> = {
  COMPLETED: 'call.completed',
  VOICEMAIL: 'call.completed',
  FAILED: 'call.failed',
  BUSY: 'call.failed',
  NO_ANSWER: 'call.failed',
};

/** Audits the evidence: what is wrong, one sentence each; nothing when all promises were kept. Pure. */
export function audit(evidence: Evidence): string[] {
  return [
    ...callsThatNeverEnded(evidence),
    ...endsNotPublishedOnce(evidence),
    ...costsNotEnteredOnce(evidence),
    ...dialedTwice(evidence),
    ...lostWrites(evidence),
    ...webhooksNotKept(evidence),
    ...commandsWithoutAudit(evidence),
    ...timelinesNotOnce(evidence),
    ...evidence.leaks.map(({ where, which }) => `${where} holds a secret: ${which}.`),
  ];
}

function callsThatNeverEnded({ calls }: Evidence): string[] {
  return calls
    .filter(({ status }) => !TERMINAL.has(status))
    .map(({ id, status }) => `Call ${id} is still ${status}.`);
}

function endsNotPublishedOnce({ calls, events }: Evidence): string[] {
  const ends = new Map<string, Map<string, string>>();
  for (const { eventId, type, callId } of events) {
    if (callId === null || !ENDS.has(type)) continue;
    const ofCall = ends.get(callId) ?? new Map<string, string>();
    ends.set(callId, ofCall.set(eventId, type));
  }
  return calls.flatMap(({ id, status }) => {
    const types = [...(ends.get(id)?.values() ?? [])];
    const required = REQUIRED[status];
    if (types.length > 1)
      return [`Call ${id} (${status}) ended by ${types.length} events: ${types.join(', ')}.`];
    if (required && types[0] !== required) {
      return [`Call ${id} (${status}) was published by ${types[0] ?? 'no event'}, not by ${required}.`];
    }
    return [];
  });
}

function costsNotEnteredOnce({ calls, usageCalls }: Evidence): string[] {
  const ended = calls.filter(({ status }) => TERMINAL.has(status));
  const missing = ended.filter(({ hasCost }) => !hasCost).map(({ id }) => `Call ${id} has no cost.`);
  const counted =
    usageCalls === ended.length ? [] : [`Usage counts ${usageCalls} calls of ${ended.length} that ended.`];
  return [...missing, ...counted];
}

function dialedTwice({ calls, contacts, dials }: Evidence): string[] {
  const perContact = new Map<string, number>();
  for (const { contactId } of calls) {
    if (contactId !== null) perContact.set(contactId, (perContact.get(contactId) ?? 0) + 1);
  }
  return [
    ...[...dials]
      .filter(([, count]) => count > 1)
      .map(([callId, count]) => `Call ${callId} was dialed ${count} times.`),
    ...contacts
      .filter(({ id, attempts }) => (perContact.get(id) ?? 0) > attempts)
      .map(({ id, attempts }) => `Contact ${id} has ${perContact.get(id)} calls for ${attempts} attempts.`),
  ];
}

function lostWrites({ writes }: Evidence): string[] {
  return writes
    .filter(
      ({ acknowledged, unacknowledged, found }) =>
        found !== acknowledged && !unacknowledged.includes(found ?? ''),
    )
    .map(({ id, acknowledged, found }) => `${id} was acknowledged as '${acknowledged}' and is '${found}'.`);
}

function webhooksNotKept({ events, refusedEvents }: Evidence): string[] {
  const bodies = new Map<string, Set<string>>();
  for (const { eventId, body } of events) {
    bodies.set(eventId, (bodies.get(eventId) ?? new Set()).add(body));
  }
  return [
    ...[...bodies]
      .filter(([, different]) => different.size > 1)
      .map(([id, different]) => `Event ${id} came with ${different.size} different bodies.`),
    ...events.filter(({ isSigned }) => !isSigned).map(({ eventId }) => `Event ${eventId} is not signed.`),
    ...[...refusedEvents]
      .filter((id) => !bodies.has(id))
      .map((id) => `Event ${id} was refused once and did not come again.`),
  ];
}

function commandsWithoutAudit({ commands }: Evidence): string[] {
  return commands
    .filter(({ isAudited }) => !isAudited)
    .map(({ callId, action }) => `Call ${callId} has no audit row of an acknowledged ${action}.`);
}

/** The types of a timeline that say how a call ended: each end has its own, written with the status. */
const END_OF_TIMELINE = /^call\.(completed|failed|busy|no_answer|voicemail)$/;

function timelinesNotOnce({ calls, timelines }: Evidence): string[] {
  const ended = new Set(calls.filter(({ status }) => TERMINAL.has(status)).map(({ id }) => id));
  return [...timelines].flatMap(([callId, entries]) => {
    const twice = entries.length - new Set(entries.map(({ id }) => id)).size;
    // A call that was given up with its worker, whose spool then said how it had really ended, ends once more.
    const corrections = entries.filter(({ type }) => type === 'call.corrected').length;
    const ends = entries.filter(({ type }) => END_OF_TIMELINE.test(type)).map(({ type }) => type);
    return [
      ...(twice > 0 ? [`Call ${callId} has ${twice} events of its timeline twice.`] : []),
      ...(ends.length === 0 && ended.has(callId) ? [`Call ${callId} has no end in its timeline.`] : []),
      ...(ends.length > 1 + corrections
        ? [`Call ${callId} ends ${ends.length} times in its timeline: ${ends.join(', ')}.`]
        : []),
    ];
  });
}
