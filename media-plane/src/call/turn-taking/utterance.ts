/** What the caller has said in the turn that is not over yet. */
export interface Utterance {
  /** Final texts, joined. */
  readonly finals: string;
  /** The latest text that may still change; empty when all is final. */
  readonly interim: string;
  /** Keys pressed. */
  readonly digits: string;
  /** They have spoken to a model that hears them itself: the words come later, if at all. */
  readonly spoken: boolean;
  /** When its beginning reached us, … */
  readonly startedAt: number;
  /** … and how much later than it was spoken that was, in ms. */
  readonly lateMs: number;
  /** When the text last changed. */
  readonly textAt: number;
  readonly digitAt: number;
  /** 0..1, the lowest of the recogniser's. */
  readonly confidence: number;
  /** The recogniser is confident that the turn is over. */
  readonly confidentEnd: boolean;
  /** Probability (0..1) that they have finished, by the sound of the speech that stopped last; null: not known. */
  readonly completion: number | null;
  /** Endpointing delay that this text asks for, in ms. */
  readonly minimumMs: number;
  /** Speculative generations started so far. */
  readonly tries: number;
  /** When the turn was decided to be over, in case the agent must finish speaking first; else null. */
  readonly endedAt: number | null;
  /** Transcript index that it already has, because its turn had ended and was reopened; else null. */
  readonly index: number | null;
}

export const EMPTY_UTTERANCE: Utterance = {
  finals: '',
  interim: '',
  digits: '',
  spoken: false,
  startedAt: 0,
  lateMs: 0,
  textAt: 0,
  digitAt: 0,
  confidence: 1,
  confidentEnd: false,
  completion: null,
  minimumMs: 0,
  tries: 0,
  endedAt: null,
  index: null,
};

export function utteranceText(utterance: Utterance): string {
  if (utterance.interim === '') return utterance.finals;
  return utterance.finals === '' ? utterance.interim : `${utterance.finals} ${utterance.interim}`;
}

/** Returns whether there are words, or speech whose words come later. */
export function hasText(utterance: Utterance): boolean {
  return utterance.finals !== '' || utterance.interim !== '' || utterance.spoken;
}

export function hasInput(utterance: Utterance): boolean {
  return hasText(utterance) || utterance.digits !== '';
}
