import type { ComplianceCheck } from '../../api/types.js';
import type { Tone } from '../../ui/badge.js';

/** Why a call is denied, in a few words, and what to do about it. */
export const REASONS: Readonly<Record<string, { readonly short: string; readonly remedy: string }>> = {
  do_not_call: {
    short: 'On a do-not-call list',
    remedy: 'Call it again only with its owner’s consent, and take it off the list then.',
  },
  outside_calling_hours: {
    short: 'Outside of calling hours',
    remedy: 'A campaign calls it when the hours open. They are set with the agent, under Rules.',
  },
  no_calling_hours: {
    short: 'The agent has no calling hours',
    remedy: 'Open a day in the agent, under Rules.',
  },
  region_unknown: {
    short: 'No hour is good everywhere the number may be',
    remedy: 'The number does not show where it is. Longer hours of the agent leave more to choose from.',
  },
  concurrent_calls_limit: {
    short: 'Too many calls at once',
    remedy: 'It is called as soon as others are over.',
  },
  disclosure_missing: {
    short: 'The agent does not say what it is',
    remedy: 'Write a disclosure in the agent, under Rules.',
  },
  disclosure_names_no_ai: {
    short: 'The disclosure names no AI',
    remedy: 'Say in the agent’s disclosure that an AI speaks, under Rules.',
  },
};

/** A reason in words; as it is where it is one that is not known here. */
export const reasonText = (reason: string): string => REASONS[reason]?.short ?? reason;

/** The parts of a check, in the order in which they are made. */
export const CHECKS = [
  ['dnc', 'Do not call'],
  ['calling_hours', 'Calling hours'],
  ['recording_consent', 'Recording consent'],
  ['capacity', 'Capacity'],
  ['disclosure', 'Disclosure'],
] as const;

export const DECISIONS: Readonly<
  Record<ComplianceCheck['decision'], { readonly word: string; readonly tone: Tone }>
> = {
  allowed: { word: 'Allowed', tone: 'good' },
  denied: { word: 'Denied', tone: 'bad' },
};

const RECORDINGS = {
  off: 'Not recorded',
  announced: 'Recorded, and announced',
  unannounced: 'Recorded without being announced',
} as const;
const LISTS = { tenant: 'your own list', operator: 'the operator’s list' } as const;

/** What a check was decided from, in words: the name of each fact and what it was. */
export function evidenceOf(check: ComplianceCheck): (readonly [name: string, fact: string])[] {
  const { inputs } = check;
  const place = (region: typeof inputs.callee) =>
    region.is_test
      ? 'a test number, which rings nobody'
      : [region.state ?? 'state not known', region.zones.join(', ')].filter(Boolean).join(' · ');
  const lists = inputs.listed_by.map((list) => LISTS[list]).join(' and ');
  return [
    ['Number', check.to_number ?? 'erased'],
    ['Where it is', place(inputs.callee)],
    ...(inputs.caller === null
      ? []
      : [['The caller', `${check.from_number} · ${place(inputs.caller)}`] as const]),
    ['Do-not-call lists', lists === '' ? 'on none' : `on ${lists}`],
    ['Calls at that moment', `${inputs.live_calls} of ${inputs.max_concurrent_calls}`],
    ['Disclosure', inputs.agent === null ? 'no agent was named' : (inputs.agent.disclosure ?? 'none')],
    ...(check.requires_two_party_consent === null
      ? []
      : [
          [
            'Consent to a recording',
            check.requires_two_party_consent ? 'everybody must consent' : 'one side is enough',
          ] as const,
        ]),
    ...(check.recording === null ? [] : [['Recording', RECORDINGS[check.recording]] as const]),
  ];
}
