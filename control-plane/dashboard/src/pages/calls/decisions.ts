import type { CallDecision, CallDecisions } from '../../api/types.js';
import { counted } from '../../format/words.js';

type Rule = CallDecision['rule'];

/** What each rule is about, as somebody asks for it. */
export const RULES: Readonly<Record<Rule, string>> = {
  opening: 'Beginning',
  end_of_turn: 'End of the caller’s turn',
  preemptive_answer: 'Answer begun in advance',
  answer_dropped: 'Answer dropped',
  answer_heard: 'Agent speaks',
  barge_in_pause: 'Agent pauses',
  interruption: 'Interruption',
  false_interruption: 'No interruption after all',
  backchannel: 'Caller listens',
  filler: 'Filler',
  silence: 'Silence',
  tool: 'Tool',
  handoff: 'Handoff',
  machine: 'Answering machine',
  failure: 'Failure',
  ending: 'End of the call',
  note: 'Other',
};

/** The question that somebody has, and the rules that answer it. */
export const QUESTIONS = {
  all: { question: 'All decisions', rules: null },
  interrupted: {
    question: 'Why was the agent interrupted?',
    rules: ['barge_in_pause', 'interruption', 'false_interruption', 'backchannel'],
  },
  spoke: {
    question: 'Why did it speak then?',
    rules: ['opening', 'end_of_turn', 'answer_heard', 'filler', 'silence'],
  },
  dropped: {
    question: 'Which answers were dropped?',
    rules: ['preemptive_answer', 'answer_dropped', 'failure'],
  },
  ended: { question: 'Why did it end?', rules: ['ending', 'machine', 'handoff', 'failure'] },
} as const satisfies Readonly<
  Record<string, { readonly question: string; readonly rules: readonly Rule[] | null }>
>;
export type Question = keyof typeof QUESTIONS;

/** The decisions that answer a question; `onlyDifferent`: those that today’s rules take otherwise. */
export function decisionsFor(
  { decisions }: Pick<CallDecisions, 'decisions'>,
  question: Question,
  onlyDifferent: boolean,
): readonly CallDecision[] {
  const rules: readonly Rule[] | null = QUESTIONS[question].rules;
  return decisions.filter(
    ({ rule, today }) => (rules === null || rules.includes(rule)) && (!onlyDifferent || today !== null),
  );
}

/** Says how the replay by today’s rules came out. */
export function replaySentence({ steps, different, decisions }: CallDecisions): string {
  const all = counted(steps, 'decision');
  if (different === 0) return `${all}. Today’s rules take every one of them the same.`;
  const shown = decisions.filter(({ today }) => today !== null).length;
  if (shown === 0) return `${all}. Today’s rules differ in timers alone: nothing else follows from them.`;
  return `${all}. Today’s rules would act otherwise in ${counted(shown, 'of those below', 'of those below')}; those after the first may only follow from it.`;
}
