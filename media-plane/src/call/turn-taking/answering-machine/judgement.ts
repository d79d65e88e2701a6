import { join, words } from '../words.js';
import type { AnswerEvidence, SpeechRun } from './answer.js';
import { findPhrases, type PhrasesFound } from './phrases.js';

/**
 * Who has answered, judged by points: each signal has its weight, and none but the carrier's verdict and a machine's own
 * words is enough alone; those only where nobody has conversed. Pure.
 */

/** Points from which it is a machine, … */
const MACHINE = 3;
/** … and down to which what was taken for one is a person. */
const PERSON = 1;

const POINTS = {
  carrierMachine: 3,
  carrierHuman: -1,
  machineWords: 3,
  hint: 1,
  beep: 2,
  beepAfterSpeech: 1,
  shortGreeting: -2,
  personWords: -3,
  lateWords: -2,
} as const;
const MOST_HINTS = 2;

/** Lengths of one run of speech that count one point each, in ms; a person's greeting is seldom so long. */
const LONG_MS = [3500, 7000] as const;
/** Where no words are known: this length, in ms, is enough alone. */
const ENDLESS_MS = 12_000;
/** A person's "Hello?" lasts between these, in ms, … */
const SHORTEST_GREETING_MS = 150;
const SHORT_GREETING_MS = 2500;
/** … and is followed by this silence, in ms. */
const AWAITS_REPLY_MS = 1000;
/** A run that is over for so long, in ms, is judged by its interim text, too, … */
const RUN_OVER_MS = 600;
/** … and a machine's phrase in a short one counts after this: it may yet become a question. */
const PHRASE_OVER_MS = 300;
/** The longest answer of a person, in ms, that speaks against a machine that was already met. */
const PERSON_ANSWER_MS = 4000;
const PERSON_ANSWER_WORDS = 12;
const HELLO_WORDS = 5;
/** So many words that began after a greeting's time, none of them a machine's, are a reply to the agent. */
const LATE_WORDS = 3;

type Signal = 'carrier' | 'beep' | 'words' | 'greeting_length';

export interface Judgement {
  readonly machine: boolean;
  /** Of a machine: what spoke for it, and in which words. */
  readonly signals: readonly Signal[];
  readonly detail: string;
  /** The other end speaks as a person does who has been taken for a machine. */
  readonly person: boolean;
  /** The other end has listened to an answer and replied to it. */
  readonly conversing: boolean;
}

export interface Circumstances {
  /** BCP 47 */
  readonly language: string;
  readonly hearsWords: boolean;
  /** Whether the words only say hello. */
  readonly isHello: (text: string) => boolean;
}

/** Judges who has answered, by what is known at `at`. */
export function judgeAnswer(answer: AnswerEvidence, at: number, circumstances: Circumstances): Judgement {
  const { run } = answer;
  const quietMs = run?.endedAt == null ? 0 : at - run.endedAt;
  const over = quietMs >= RUN_OVER_MS;
  const last = run ? join(run.text, over ? run.interim : '') : '';
  const found = findPhrases(join(answer.text, last), circumstances.language);
  const personal = over && speaksPersonally(last, circumstances);
  const runMs = run ? (run.endedAt ?? at) - run.startedAt : 0;
  const longestMs = Math.max(answer.earlyMs, run?.early ? runMs : 0);
  const speechMs = answer.speechMs + runMs;
  const short = isShortGreeting(answer, found, { speechMs, quietMs, hearsWords: circumstances.hearsWords });
  // A long greeting that ends with a question to the caller is a person's.
  const length = personal ? 0 : lengthPoints(longestMs, found, circumstances.hearsWords);
  const late = over && run?.early === false && found.machine === null && found.hints === 0;
  const lateWords = late && words(last).length >= LATE_WORDS;

  // People speak of voicemails, too, and receptionists of messages.
  const isHint = answer.conversed && answer.beep === null && answer.carrier !== 'machine';
  const machineWords = found.machine !== null && !isHint;
  const hints = found.hints + (found.machine !== null && isHint ? 1 : 0);

  const points =
    (answer.carrier === 'machine' ? POINTS.carrierMachine : 0) +
    (answer.carrier === 'human' ? POINTS.carrierHuman : 0) +
    (machineWords ? POINTS.machineWords : 0) +
    Math.min(MOST_HINTS, hints) * POINTS.hint +
    (answer.beep ? POINTS.beep + (speechMs > SHORT_GREETING_MS ? POINTS.beepAfterSpeech : 0) : 0) +
    length +
    (short ? POINTS.shortGreeting : 0) +
    (personal ? POINTS.personWords : 0) +
    (lateWords ? POINTS.lateWords : 0);

  const settled =
    answer.beep !== null ||
    (over && answer.carrier !== 'machine') ||
    longestMs >= ENDLESS_MS ||
    (found.machine !== null && (quietMs >= PHRASE_OVER_MS || runMs >= LONG_MS[0])) ||
    (answer.carrier === 'machine' && !isSpeaking(answer, quietMs, longestMs));
  const answersAsPerson = personal && run !== null && isPersonsAnswer(run, last, circumstances.language);
  return {
    machine: points >= MACHINE && settled,
    ...signalsOf(answer, found, length, longestMs),
    person: over && answer.beep === null && (answersAsPerson || (points <= PERSON && speechMs > 0)),
    conversing: run?.replies === true && over && found.machine === null && answer.beep === null,
  };
}

/** Returns the next moment at which silence or more speech alone may change the judgement; null when there is none. */
export function nextMoment({ run }: AnswerEvidence, now: number): number | null {
  if (!run) return null;
  const moments =
    run.endedAt === null
      ? [...LONG_MS, ENDLESS_MS].map((ms) => run.startedAt + ms)
      : [PHRASE_OVER_MS, RUN_OVER_MS, AWAITS_REPLY_MS].map((ms) => (run.endedAt ?? 0) + ms);
  return moments.find((moment) => moment > now) ?? null;
}

function lengthPoints(longestMs: number, found: PhrasesFound, hearsWords: boolean): number {
  // A menu is long, and no voicemail.
  if (found.menu) return 0;
  const points = LONG_MS.filter((ms) => longestMs >= ms).length;
  return hearsWords || longestMs < ENDLESS_MS ? points : MACHINE;
}

function isShortGreeting(
  { beep, text, run }: AnswerEvidence,
  found: PhrasesFound,
  {
    speechMs,
    quietMs,
    hearsWords,
  }: { readonly speechMs: number; readonly quietMs: number; readonly hearsWords: boolean },
): boolean {
  if (beep || found.machine !== null || found.hints > 0) return false;
  // A click is no greeting; where words are known, a person has some.
  if (hearsWords && join(text, join(run?.text ?? '', run?.interim ?? '')) === '') return false;
  return isAsShortAsHello(speechMs) && quietMs >= AWAITS_REPLY_MS;
}

/** Returns whether speech of so many ms may be a person's hello. */
export function isAsShortAsHello(speechMs: number): boolean {
  return speechMs >= SHORTEST_GREETING_MS && speechMs <= SHORT_GREETING_MS;
}

/** Returns whether what is being said may yet turn out to be a person's: the carrier's verdict waits for its end. */
function isSpeaking({ run }: AnswerEvidence, quietMs: number, longestMs: number): boolean {
  return run !== null && quietMs < AWAITS_REPLY_MS && longestMs < LONG_MS[1];
}

/** Returns whether the text says hello, asks, or has other words that only a person says. */
export function speaksPersonally(text: string, { language, isHello }: Circumstances): boolean {
  if (text === '') return false;
  const spoken = words(text);
  if (spoken.length <= HELLO_WORDS && isHello(text)) return true;
  return findPhrases(text, language).person || text.trimEnd().endsWith('?');
}

function isPersonsAnswer(run: SpeechRun, text: string, language: string): boolean {
  const ms = (run.endedAt ?? run.startedAt) - run.startedAt;
  if (ms > PERSON_ANSWER_MS || words(text).length > PERSON_ANSWER_WORDS) return false;
  const found = findPhrases(text, language);
  return found.machine === null && found.hints === 0;
}

function signalsOf(
  { carrier, beep }: AnswerEvidence,
  found: PhrasesFound,
  length: number,
  longestMs: number,
): Pick<Judgement, 'signals' | 'detail'> {
  const signals: Signal[] = [];
  const details: string[] = [];
  if (carrier === 'machine') {
    signals.push('carrier');
    details.push("the carrier's verdict");
  }
  if (beep) {
    signals.push('beep');
    details.push(`a beep of ${Math.round(beep.hz)} Hz and ${Math.round(beep.ms)} ms`);
  }
  if (found.machine !== null || found.hints > 0) {
    signals.push('words');
    details.push(found.machine === null ? 'the words of a greeting' : `the words "${found.machine}"`);
  }
  if (length > 0) {
    signals.push('greeting_length');
    details.push(`a greeting of ${(longestMs / 1000).toFixed(1)} s`);
  }
  return { signals, detail: details.join(', ') };
}
