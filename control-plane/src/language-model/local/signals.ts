import { means, sentencesOf } from '@voice/shared/rule-based-model/understanding';

/** What a conversation came to, as far as keywords show. The order is their precedence. */
const SIGNALS = [
  'nobody_spoke',
  'do_not_call',
  'wrong_number',
  'voicemail',
  'transferred',
  'refused',
  'call_back',
  'agreed',
  'answered',
] as const;
export type Signal = (typeof SIGNALS)[number];

const DO_NOT_CALL = /\b(?:(?:do not|don't|stop|never) call(?:ing)?|remove me|take me off)\b/i;
const WRONG_NUMBER = /\bwrong (?:number|person)\b/i;
const VOICEMAIL = /\b(?:leave (?:me )?a message|after the (?:tone|beep)|not available (?:right now|to))\b/i;
const CALL_BACK =
  /\b(?:call (?:me )?(?:back|later|again|another time)|not a good time|busy right now|tomorrow instead)\b/i;
const REFUSAL = /\b(?:not interested|no,? thank(?:s| you)|i (?:do not|don't) want|cancel)\b/i;
const AGREEMENT =
  /\b(?:yes|yeah|yep|sure|of course|certainly|definitely|that works|sounds (?:good|great)|perfect|okay|i (?:would|'d) like)\b/i;

/** Reads what the caller said; `transferred` where the agent handed the call over. Pure. */
export function signalIn(caller: string, transferred: boolean): Signal {
  if (caller.trim() === '') return 'nobody_spoke';
  if (DO_NOT_CALL.test(caller)) return 'do_not_call';
  if (WRONG_NUMBER.test(caller)) return 'wrong_number';
  if (VOICEMAIL.test(caller)) return 'voicemail';
  if (transferred) return 'transferred';
  if (REFUSAL.test(caller) || means('refusal', caller)) return 'refused';
  if (CALL_BACK.test(caller)) return 'call_back';
  if (sentencesOf(caller).some((sentence) => AGREEMENT.test(sentence))) return 'agreed';
  return 'answered';
}

/** Words of a label that stand for a signal. */
const LABEL_WORDS: Readonly<Record<Signal, RegExp>> = {
  nobody_spoke: /no_?(?:answer|conversation|contact|response)|unreach|silent/,
  do_not_call: /do_?not_?call|opt_?out|dnc|remov|unsubscrib/,
  wrong_number: /wrong|invalid/,
  voicemail: /voice_?mail|machine/,
  transferred: /transfer|escalat|hand_?(?:off|over)|human/,
  refused: /not_|declin|refus|reject|lost|unsuccess|fail|cancel|no_?sale|disqualif|unqualif/,
  call_back: /call_?back|follow|later|reschedul|pending|undecided|maybe/,
  agreed: /./,
  answered: /complet|answer|partial|neutral|info|follow|other|unclear/,
};

/** Returns the label that says best what happened; the first is the one hoped for. Pure. */
export function labelFor(signal: Signal, labels: readonly string[]): string | null {
  const plain = labels.map((label) => ({ label, words: label.toLowerCase().replace(/[^a-z0-9]+/g, '_') }));
  const first = labels[0];
  if (first === undefined) return null;
  if (signal === 'agreed') return first;
  const others = plain.slice(1);
  const named = others.find(({ words }) => LABEL_WORDS[signal].test(words));
  if (named) return named.label;
  if (signal === 'answered')
    return others.find(({ words }) => LABEL_WORDS.call_back.test(words))?.label ?? first;
  // Nothing names it: whatever says that it came to nothing, else the last, which is the worst by custom.
  return others.find(({ words }) => LABEL_WORDS.refused.test(words))?.label ?? labels.at(-1) ?? null;
}

/** How well it went, 0 to 1. */
export const SCORE_OF: Readonly<Record<Signal, number>> = {
  nobody_spoke: 0,
  do_not_call: 0,
  wrong_number: 0.1,
  voicemail: 0.1,
  refused: 0.2,
  call_back: 0.5,
  answered: 0.6,
  transferred: 0.7,
  agreed: 0.9,
};
