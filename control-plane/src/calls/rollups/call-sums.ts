import { type CallCost, totalOf } from '../../platform/money/call-cost.js';
import type { Sums } from '../../platform/rollups/model.js';
import { asPart, fromPart, type Tally } from '../../platform/rollups/sums.js';
import { isAnswered } from '../record/answered.js';
import type { CallDocument } from '../record/model.js';

/** What the rows of calls are of. Hours have rows of their own: few answers read them. */
export const CALL_SUBJECT = {
  /** The tenant's calls, by the day on which they were created. */
  calls: 'calls',
  callHours: 'calls_by_hour',
  /** Those of a campaign, by the day on which they were queued. */
  campaign: 'campaign',
  campaignHours: 'campaign_by_hour',
  /** A campaign's contacts, by what one of their calls came to, and its scores: one row for all days. */
  contacts: 'campaign_contacts',
  agent: 'agent',
  agentHours: 'agent_by_hour',
} as const;

const HOUR_MS = 3_600_000;
/** Before an outcome in a sum's name. */
const OUTCOME = 'outcome|';

/** Fields of a call that are counted. */
export const COUNTED_FIELDS = [
  'tenant_id',
  'sandbox',
  'created_at',
  'queued_at',
  'carrier',
  'agent_id',
  'campaign_id',
  'contact_id',
  'status',
  'started_at',
  'duration_ms',
  'outcome',
  'cost',
  'rollup_seq',
] as const satisfies readonly (keyof CallDocument)[];
export type CountedCall = Pick<CallDocument, '_id' | (typeof COUNTED_FIELDS)[number]>;

/** What one of a contact's calls has come to. */
export interface ContactReached {
  attempted: boolean;
  answered: boolean;
  completed: boolean;
  readonly outcomes: Set<string>;
}

export const NOT_REACHED = (): ContactReached => ({
  attempted: false,
  answered: false,
  completed: false,
  outcomes: new Set(),
});

/** Adds a call to the rows of its tenant, its agent and its campaign. */
export function tallyCall(tally: Tally, call: CountedCall): void {
  const created = call.created_at.getTime();
  const queued = (call.queued_at ?? call.created_at).getTime();
  const owners = [
    [CALL_SUBJECT.calls, CALL_SUBJECT.callHours, '', created],
    [CALL_SUBJECT.agent, CALL_SUBJECT.agentHours, call.agent_id ?? '', created],
    [CALL_SUBJECT.campaign, CALL_SUBJECT.campaignHours, call.campaign_id ?? '', queued],
  ] as const;
  for (const [subject, hours, id, at] of owners) {
    if (subject === CALL_SUBJECT.campaign && id === '') continue;
    tallyDay(tally.row(subject, id, at), call);
    tallyHour(tally.row(hours, id, at), new Date(at).getUTCHours(), call);
  }
}

type Add = (name: string, value?: number) => void;

function tallyDay(add: Add, call: CountedCall): void {
  const duration = call.duration_ms ?? 0;
  add(`${call.status}|calls`);
  add(`${call.status}|duration_ms`, duration);
  add(`${call.status}|cost`, call.cost ? totalOf(partsOf(call.cost)) : 0);
  if (hasAnswer(call)) {
    add(`${call.status}|answered`);
    add(`${call.status}|answered_ms`, duration);
  }
  const outcome = outcomeOf(call);
  if (outcome !== null) add(`outcome|${asPart(outcome)}`);
}

function tallyHour(add: Add, hour: number, call: CountedCall): void {
  add(`${hour}|calls`);
  if (hasAnswer(call)) add(`${hour}|answered`);
  if (call.status === 'COMPLETED') add(`${hour}|completed`);
  const outcome = outcomeOf(call);
  if (outcome !== null) add(`${hour}|outcome|${asPart(outcome)}`);
}

function hasAnswer({ status, started_at = null }: CountedCall): boolean {
  return isAnswered({ status, started_at });
}

/** Returns the label of a completed call; null without one. */
function outcomeOf({ status, outcome = null }: CountedCall): string | null {
  return status === 'COMPLETED' ? outcome : null;
}

/** Sums up what is there of a cost, which old documents may have in part. */
function partsOf(cost: Partial<CallCost>): CallCost {
  const { stt = 0, llm = 0, tts = 0, carrier = 0, service = 0 } = cost;
  return { stt, llm, tts, carrier, service };
}

/** Adds to the row of a campaign's contacts what a call is the first of its contact to come to. */
export function tallyContact(tally: Tally, call: CountedCall, reached: ContactReached): void {
  const add = tally.row(CALL_SUBJECT.contacts, call.campaign_id ?? '', 0);
  const first = (name: 'attempted' | 'answered' | 'completed') => {
    if (!reached[name]) add(name);
    reached[name] = true;
  };
  first('attempted');
  if (hasAnswer(call)) first('answered');
  if (call.status === 'COMPLETED') first('completed');
  const outcome = outcomeOf(call);
  if (outcome === null || reached.outcomes.has(outcome)) return;
  reached.outcomes.add(outcome);
  add(`outcome|${asPart(outcome)}`);
}

/** Returns the outcomes of completed calls, with their numbers. Pure. */
export function outcomesOf(sums: Sums): [string, number][] {
  return Object.entries(sums).flatMap(([name, count]): [string, number][] =>
    name.startsWith(OUTCOME) ? [[fromPart(name.slice(OUTCOME.length)), count]] : [],
  );
}

/** Returns the sums of each hour in a row of hours, by its beginning in epoch ms. Pure. */
export function hoursOf({ day, sums }: { readonly day: number; readonly sums: Sums }): Map<number, Sums> {
  const hours = new Map<number, Record<string, number>>();
  for (const [name, value] of Object.entries(sums)) {
    const [hour, ...rest] = name.split('|');
    const at = day + Number(hour) * HOUR_MS;
    const known = hours.get(at) ?? {};
    known[rest.join('|')] = value;
    hours.set(at, known);
  }
  return hours;
}
