/** What the stand-in takes from an agent's prompt. */
export interface PromptOutline {
  /** Sentences that answer questions. */
  readonly facts: readonly string[];
  /** What to say or ask, in order, as it is spoken. */
  readonly steps: readonly string[];
}

type Section = 'open' | 'steps' | 'facts' | 'rules';

const HEADING = /^(?:#+\s*(.+?):?|(?:\*\*)?([^.!?]{1,80}?):(?:\*\*)?)\s*$/;
const ITEM = /^(?:(\d{1,2})[.)]|[-*•])\s+(.+)$/;
/** Sentences that tell the agent how to be are no facts to tell callers. */
const INSTRUCTION =
  /^(?:you\b|everything you\b|your (?:task|job|goal|role|name)|please\b|always|never|be |do |do not|don't|keep|speak|say|ask|answer|use|when |if |once |after |greet|introduce|help|offer|try|make sure|remember|start|begin|end |follow|stay|avoid|let )/i;

/**
 * Reads a prompt written in the usual form: prose, and lists under headings. Numbered items are steps unless
 * their heading says otherwise; bullets are facts unless it does.
 */
export function outlineOf(prompt: string): PromptOutline {
  const facts: string[] = [];
  const steps: string[] = [];
  let section: Section = 'open';
  for (const line of prompt.split('\n').map((text) => text.trim())) {
    if (line === '') continue;
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (item) {
      const text = item[2]!;
      const numbered = item[1] !== undefined;
      if (section === 'steps' || (section === 'open' && numbered)) steps.push(spoken(text));
      else if (section === 'facts' || section === 'open') facts.push(sentence(text));
    } else if (heading) {
      section = sectionOf(heading[1] ?? heading[2] ?? '');
    } else {
      // Prose ends a list.
      section = 'open';
      for (const part of line.split(/(?<=[.!?])\s+/)) if (!INSTRUCTION.test(part)) facts.push(sentence(part));
    }
  }
  return { facts, steps };
}

function sectionOf(heading: string): Section {
  if (/\b(steps?|questions?|ask|tasks?|script|flow|procedure|agenda)\b/i.test(heading)) return 'steps';
  if (/\b(rules?|style|guidelines?|tone|instructions?|behaviou?r|persona|role)\b/i.test(heading))
    return 'rules';
  return 'facts';
}

/** A step as it is said: its quoted words, its question, or its instruction turned into a question. */
function spoken(step: string): string {
  const quoted = /["“](.+?)["”]/.exec(step)?.[1];
  if (quoted) return sentence(quoted);
  const said = /^(?:ask|say|tell (?:them|the caller|the customer|the patient))\s*:\s*(.+)$/i.exec(step)?.[1];
  if (said) return sentence(said);
  const tell = /^(?:say|tell (?:them|the caller|the customer|the patient)) (?:that )?(.+)$/i.exec(step)?.[1];
  if (tell) return sentence(addressed(tell));
  const ask = /^ask (?:them |the caller |the customer |the patient )?(?:for |about )?(.+)$/i.exec(step)?.[1];
  if (!ask) return sentence(step);
  const clause = addressed(ask.replace(/[.?]$/, ''));
  if (/^(?:if|whether) /i.test(clause)) return `May I ask ${clause}?`;
  return `Could you tell me ${clause}?`;
}

/** What the prompt says about the caller, said to the caller. */
function addressed(text: string): string {
  return text
    .replace(/\b(?:the (?:caller|customer|patient)'s|their|his or her)\b/gi, 'your')
    .replace(/\b(?:the (?:caller|customer|patient)|they)\b/gi, 'you')
    .replace(/\byou (wants|needs|prefers|has)\b/gi, (_, verb: string) =>
      verb === 'has' ? 'you have' : `you ${verb.slice(0, -1)}`,
    );
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
