/** Words that say nothing about the subject. */
const STOP_WORDS = new Set(
  `a about all also am an and any are as at be been before but by can could did do does for from get give go
  had has have he hello her here hi his how i if im in is it its just let like may me my no not now of oh ok
  okay on one or our out please say she so some sorry sure tell thank thanks that the their them then there
  they this to too uh um us want was we well were what when where which who why will with would yes you your
  know`.split(/\s+/),
);

/** Words that ask for the same thing. */
const CONCEPTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    cost: 'cost costs price prices much expensive fee fees pay charge dollar dollars euro euros',
    place: 'address located location street find directions',
    open: 'open hours opening close closed closing',
    parking: 'park parking car',
    length: 'long take takes last lasts duration minutes',
    insurance: 'insurance insured insurer',
    cancel: 'cancel cancellation reschedule',
  }).flatMap(([concept, words]) => words.split(' ').map((word) => [word, concept])),
);

/** Returns the subject words of a text: lower case, without endings, words of one meaning as one. */
export function subjectsOf(text: string): Set<string> {
  const subjects = new Set<string>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (/^(?:where)$/.test(word)) subjects.add('place');
    if (STOP_WORDS.has(word)) continue;
    subjects.add(CONCEPTS[word] ?? stem(word));
  }
  return subjects;
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ings?|edly|ed|es|s)$/, '') : word;
}

/** Returns how many subjects two texts share. */
export function sharedSubjects(a: string, b: string): number {
  const other = subjectsOf(b);
  return [...subjectsOf(a)].filter((subject) => other.has(subject)).length;
}

/** Returns which of the texts shares the most subjects with the question; the first of equals; none without any. */
export function closest(question: string, texts: readonly string[]): string | undefined {
  let best: string | undefined;
  let most = 0;
  for (const text of texts) {
    const shared = sharedSubjects(question, text);
    if (shared > most) {
      best = text;
      most = shared;
    }
  }
  return best;
}

/** Returns whether enough of `sentence` was said within `text`: what was cut off after a few words was not said. */
export function wasSaid(sentence: string, text: string): boolean {
  const words = plainWords(sentence);
  const said = ` ${plainWords(text).join(' ')} `;
  const needed = words.slice(0, Math.max(1, Math.ceil(words.length * 0.8)));
  return words.length > 0 && said.includes(` ${needed.join(' ')} `);
}

function plainWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}

export function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+/).filter((part) => part.trim() !== '');
}

const QUESTION_START =
  /^(?:(?:and|but|so|sorry|wait|well|oh|okay|ok|um|uh|please|excuse me)[,.]?\s+)*(?:what|when|where|who|why|which|how|do you|does|did|is there|are there|are you|is it|is the|can i|can you|could i|could you|will|would you)\b/i;

export function isQuestion(sentence: string): boolean {
  return sentence.trim().endsWith('?') || QUESTION_START.test(sentence.trim());
}

const PATTERNS = {
  goodbye:
    /\b(?:good ?bye|bye|see you|talk to you later|have a (?:nice|good|great) (?:day|one|evening)|hang up|that'?s all|that is all|that'?s everything|that is everything|nothing else)\b/i,
  refusal:
    /\b(?:not interested|(?:do not|don't|stop) call(?:ing)?|remove me|take me off|leave me alone|wrong number)\b/i,
  human:
    /\b(?:speak|talk|connect|transfer|put)\b.{0,80}\b(?:human|person|someone|somebody|operator|representative|manager|agent|colleague)\b|\b(?:real|actual) (?:human|person)\b|^(?:operator|representative|human)\b/i,
  robot: /\b(?:robot|machine|computer|automated|recording|bot|ai)\b.{0,80}\?/i,
  repeat:
    /^(?:sorry|pardon|what|excuse me|come again|hm+|huh)[?.! ]*$|\b(?:repeat|say (?:that|it) again|(?:did not|didn't) (?:hear|catch|understand))\b/i,
  greeting: /^(?:(?:hello|hi|hey|good (?:morning|afternoon|evening))[?,.! ]*)+$/i,
  yes: /^(?:yes|yeah|yep|sure|of course|certainly|definitely|please|correct|right)\b/i,
  no: /^(?:no|nope|not)\b/i,
} as const;

export function means(intent: keyof typeof PATTERNS, text: string): boolean {
  return PATTERNS[intent].test(text.trim());
}

/** Returns whether there is anything to answer at all: more than noises. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text.replace(/\b(?:u+h+|u+m+|h+m+|e+r+|a+h+)\b/gi, ''));
}

/** Finds the first name that the caller gave, if they did. */
export function nameIn(text: string): string | undefined {
  const match =
    /\b(?:my name is|my name's|i am called|this is|it is|it's|i'm|i am) ((?:\p{Lu}[\p{L}'-]+ ?){1,3})/u.exec(
      text.replace(/\b(My|This|It|I)\b/g, (word) => word.toLowerCase()),
    );
  return match?.[1]?.trim();
}
