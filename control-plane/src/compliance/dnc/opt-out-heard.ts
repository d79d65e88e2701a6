const OWN = `(?:me|us|my (?:number|phone|house|cell|mobile)|our (?:number|phone|house)|this (?:number|phone|line|house)|here)`;
const EVER_AGAIN = `(?:again|any ?more|any longer|ever|back)`;
/** The request ends here: what follows is courtesy or another sentence, and no "before six" or "Bob". */
const DONE = String.raw`(?=\s*(?:$|[.,;!?]|please\b|and\b|okay\b|ok\b|thank|bye\b|or\b|because\b|i\b|at all\b))`;
const LIST = `(?:(?:call(?:ing)?|phone|contact|mailing|marketing) )?(?:lists?|database|records|system|register)`;

/** Phrases by which people ask not to be called again, in lower case and with plain apostrophes. */
const REQUESTS: readonly RegExp[] = [
  // "don't call me again", "never phone this number", "do not ever contact us anymore"
  new RegExp(
    String.raw`\b(?:do not|don't|dont|never|not to|quit|please no)\s+(?:you\s+)?(?:ever\s+)?(?:call|phone|ring|contact|dial)\s+(?:${OWN}\s*,?\s*(?:${EVER_AGAIN}|${DONE})|${EVER_AGAIN})`,
  ),
  // "stop calling me", "quit calling"
  new RegExp(
    String.raw`\b(?:stop|quit)\s+(?:calling|phoning|ringing|contacting|harassing|bothering)\s*(?:${OWN}\s*)?(?:${EVER_AGAIN}|${DONE})`,
  ),
  // "take me off your list", "remove my number from the database"
  new RegExp(
    String.raw`\b(?:take|remove|delete|get|scratch|strike|drop)\s+(?:me|us|my (?:name|number|phone number)|our number|this number)\s+(?:off|from|out of)\s+(?:of\s+)?(?:your|the|this|that|all(?: of)? your|any|every)\s+(?:\w+\s+){0,2}?${LIST}\b`,
  ),
  // "put me on the do not call list"
  /\b(?:put|add|place|get)\s+(?:me|us|my number|our number|this number)\s+(?:on|to|onto)\s+(?:your|the|a)\s+(?:internal\s+|national\s+)?(?:do[ -]not[ -]call|no[ -]call|don't[ -]call)\b/,
  /\b(?:i|we)(?:'d| would| want| wish| like| need|'m| am| to| am going)*\s+(?:to\s+)?opt(?:ing)?[ -]out\b/,
  /\bopt\s+(?:me|us)\s+out\b/,
  /\bunsubscribe\s+(?:me|us|my number)\b/,
  /\b(?:lose|forget|delete)\s+(?:my|this)\s+(?:phone\s+)?number\b/,
  /\b(?:do not|don't|dont|never)\s+(?:want|wish)\s+(?:to\s+(?:be\s+(?:called|contacted)|(?:get|receive|have)\s+(?:any\s+)?(?:more\s+)?(?:of\s+)?(?:these\s+|your\s+)?calls)|(?:any\s+)?(?:more|further)\s+calls)\b/,
  /\bno more (?:phone )?calls\b/,
  // German
  /\brufen sie (?:mich|uns|hier|diese nummer)?\s*(?:bitte\s+)?(?:nicht mehr|nie mehr|nie wieder|nicht wieder)(?:\s+hier)?\s+an\b/,
  /\b(?:nicht mehr|nie wieder|nie mehr) (?:angerufen|anrufen|kontaktieren)\b/,
  /\b(?:streichen|nehmen|löschen|entfernen) sie (?:mich|uns|meine nummer|meinen namen) (?:bitte )?(?:von|aus) (?:der|ihrer) (?:anruf)?(?:liste|datenbank)/,
  // Spanish
  /\bno (?:me|nos) (?:vuelv(?:a|as|an) a llamar|llam(?:e|es|en) (?:m[áa]s|nunca|otra vez|de nuevo))/,
  /\b(?:qu[íi]t|b[óo]rr|s[áa]qu|elim[íi]n)\w*(?:me|nos) de (?:su|la|esa|tu) (?:lista|base)/,
  /\bdej(?:e|en|a) de llamar(?:me|nos)/,
  // French
  /\bne (?:m'|nous )(?:r)?appelez (?:plus|jamais)\b|\bne me rappelez (?:plus|pas|jamais)\b/,
  /\b(?:retirez|enlevez|supprimez|rayez)[ -](?:moi|nous|mon num[ée]ro) de (?:votre|la|vos) (?:listes?|base)/,
  /\barr[êe]tez de (?:m'|nous )appeler\b/,
];

/** Just before a request, turns it into its opposite: "you don't have to take me off your list". */
const TAKEN_BACK =
  /\b(?:do not|don't|dont|didn't|did not|never|no need to|not have to|needn't|not asking you to)\s+(?:(?:have|need|want you|want|ask you|asked you|say|said|mean)(?:\s+to)?\s*)?$/;

function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

/**
 * Returns whether somebody who was called asks not to be called again. Rather once too often than once too seldom: an
 * entry too many can be taken off the list, a call too many cannot be taken back.
 */
export function heardOptOut(text: string): boolean {
  const heard = normalised(text);
  return REQUESTS.some((request) => {
    const found = request.exec(heard);
    return found !== null && !TAKEN_BACK.test(heard.slice(0, found.index));
  });
}
