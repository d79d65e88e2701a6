/** What a language's speakers say, as far as turn-taking depends on it. All words are normalised. */
export interface LanguageRules {
  /** Words after which a sentence goes on. */
  readonly connectives: ReadonlySet<string>;
  /** Sounds of somebody who is thinking; not words that also end a sentence (“very well”). */
  readonly hesitations: ReadonlySet<string>;
  /** Digits and tens, spoken. */
  readonly numbers: ReadonlySet<string>;
  /** How a question begins that cannot be answered with yes or no. */
  readonly openQuestions: ReadonlySet<string>;
  /** Words of an agent that asks for something to be dictated. */
  readonly dictated: ReadonlySet<string>;
  /** Backchannels: never an interruption. */
  readonly backchannels: ReadonlySet<string>;
  /** Agreement: a backchannel while the agent makes a statement, an answer when it asks. */
  readonly agreement: ReadonlySet<string>;
  readonly greetings: ReadonlySet<string>;
  readonly phrases: Phrases;
}

interface Phrases {
  readonly apology: string;
  readonly timeLimit: string;
}

const set = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const NONE: ReadonlySet<string> = new Set();

const BACKCHANNELS = 'hm hmm mm mmm mhm mmhm mmhmm aha ah oh uh huh uhhuh';

const english: LanguageRules = {
  connectives: set(
    'and but or because if when while that the a an to of for with from in on at by about my your our their his her its is are was i we he she they which who',
  ),
  hesitations: set('um uh er erm hmm'),
  numbers: set(
    'zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred double triple',
  ),
  openQuestions: set('what how why where when who which tell describe explain'),
  dictated: set('number numbers code digits phone account zip postal pin id card spell email'),
  backchannels: set(BACKCHANNELS),
  agreement: set('yeah yep yes yup ok okay right sure alright good great fine i see got it exactly true'),
  greetings: set('hello hi hey good morning afternoon evening yes speaking who is this there'),
  phrases: {
    apology: 'I am sorry, I did not get that. Could you say it again, please?',
    timeLimit: 'I am sorry, we have reached the end of the time for this call. Thank you, and goodbye.',
  },
};

const german: LanguageRules = {
  connectives: set(
    'und aber oder weil wenn dass der die das den dem des ein eine einen einem einer zu von für mit aus in im auf an am bei über mein meine meinen ihr ihre unser ist sind war ich wir er sie also',
  ),
  hesitations: set('äh ähm öh öhm hm na tja'),
  numbers: set(
    'null eins zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert doppel',
  ),
  openQuestions: set(
    'was wie warum wieso weshalb wo wohin woher wann wer welche welcher welches erzählen beschreiben',
  ),
  dictated: set(
    'nummer telefonnummer kundennummer ziffern code postleitzahl iban pin karte buchstabieren email',
  ),
  backchannels: set(`${BACKCHANNELS} achso`),
  agreement: set('ja jo jawohl genau ok okay gut klar stimmt richtig alles verstehe ach so'),
  greetings: set('hallo guten tag morgen abend ja wer ist da hier am apparat moin servus grüß gott'),
  phrases: {
    apology: 'Entschuldigung, das habe ich nicht verstanden. Können Sie das bitte noch einmal sagen?',
    timeLimit: 'Es tut mir leid, die Zeit für dieses Gespräch ist um. Vielen Dank und auf Wiederhören.',
  },
};

const spanish: LanguageRules = {
  connectives: set(
    'y e pero o u porque si cuando que el la los las un una unos unas a de del para con por en sobre mi mis tu su sus nuestro es son era yo como',
  ),
  hesitations: set('eh em este pues mm'),
  numbers: set(
    'cero uno una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien doble',
  ),
  openQuestions: set(
    'qué cómo cuándo dónde quién cuál cuáles cuánto cuánta cuántos cuéntame cuénteme describa',
  ),
  dictated: set('número teléfono código dígitos postal cuenta tarjeta pin deletrear correo'),
  backchannels: set(BACKCHANNELS),
  agreement: set('sí si ya vale ok okay claro bien bueno correcto exacto cierto entiendo de acuerdo'),
  greetings: set('hola buenos buenas días tardes noches diga dígame sí quién es aló bueno'),
  phrases: {
    apology: 'Perdone, no le he entendido. ¿Puede repetirlo, por favor?',
    timeLimit: 'Lo siento, se ha terminado el tiempo de esta llamada. Muchas gracias y adiós.',
  },
};

const french: LanguageRules = {
  connectives: set(
    'et mais ou parce si quand que qui le la les l un une des du de d à au aux pour avec par en dans sur mon ma mes votre vos notre son sa ses est sont était je nous il elle comme',
  ),
  hesitations: set('euh heu ben bah hum'),
  numbers: set(
    'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante cinquante soixante cent double',
  ),
  openQuestions: set(
    'que quoi quel quelle quels quelles comment pourquoi où quand qui racontez décrivez expliquez',
  ),
  dictated: set('numéro téléphone code chiffres postal compte carte pin épeler email'),
  backchannels: set(BACKCHANNELS),
  agreement: set('oui ouais ok okay daccord bien bon voilà exact exactement cest ça vu entendu'),
  greetings: set('allô allo bonjour bonsoir oui qui est à lappareil salut'),
  phrases: {
    apology: "Excusez-moi, je n'ai pas compris. Pouvez-vous répéter, s'il vous plaît ?",
    timeLimit: 'Je suis désolé, le temps prévu pour cet appel est écoulé. Merci et au revoir.',
  },
};

/** No words known: only what is the same everywhere. */
const neutral: LanguageRules = {
  connectives: NONE,
  hesitations: NONE,
  numbers: NONE,
  openQuestions: NONE,
  dictated: NONE,
  backchannels: set(BACKCHANNELS),
  agreement: set('ok okay'),
  greetings: set('hello hallo hi'),
  phrases: english.phrases,
};

const RULES: ReadonlyMap<string, LanguageRules> = new Map([
  ['en', english],
  ['de', german],
  ['es', spanish],
  ['fr', french],
]);

/** @param language BCP 47; only its primary subtag counts. */
export function languageRules(language: string): LanguageRules {
  const end = language.indexOf('-');
  const primary = end < 0 ? language : language.slice(0, end);
  return RULES.get(primary.toLowerCase()) ?? neutral;
}
