/** What the stand-in takes from an agent's prompt. */
export interface PromptOutline {
  /** Sentences that answer questions. */
  readonly facts: readonly string[];
  /** What to do, in order. */
  readonly steps: readonly Step[];
}

export type Step =
  /** Said as it stands here. */
  | { readonly does: 'say'; readonly text: string }
  /** Never said: the name of the tool to call. */
  | { readonly does: 'call'; readonly tool: string };

/** Facts and steps of a prompt that are read: more than any real one has, and each is compared with what is said. */
const MOST_PARTS = 1000;

type Section = 'open' | 'steps' | 'facts' | 'rules';

const HEADING = /^(?:#+\s*(.+?):?|(?:\*\*)?([^.!?]{1,80}?):(?:\*\*)?)\s*$/;
const ITEM = /^(?:(\d{1,2})[.)]|[-*•])\s+(.+)$/;
/** Sentences about the agent's manner are no facts for callers. */
const INSTRUCTION =
  /^(?:you\b|everything you\b|your (?:task|job|goal|role|name)|please\b|always|never|be |do |do not|don't|keep|speak|say|ask|answer|use|when |if |once |after |greet|introduce|help|offer|try|make sure|remember|start|begin|end |follow|stay|avoid|let )/i;

/**
 * Reads a prompt written in the usual form: prose, and lists under headings. Numbered items are steps unless
 * their heading says otherwise; bullets are facts unless it does. What names a tool is an instruction: it is
 * done, not said. Takes time linear in the prompt: variables may make it long.
 */
export function outlineOf(prompt: string, tools: readonly string[] = []): PromptOutline {
  const facts: string[] = [];
  const steps: Step[] = [];
  const addFact = (text: string) => {
    if (toolsNamedIn(text, tools).length === 0) facts.push(sentence(text));
  };
  let section: Section = 'open';
  // Runs of white space mean nothing, and the expressions here would be tried at each space of them.
  for (const line of prompt.split('\n').map((text) => text.trim().replace(/\s+/g, ' '))) {
    if (line === '') continue;
    if (facts.length + steps.length >= MOST_PARTS) break;
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (item) {
      const text = item[2]!;
      const numbered = item[1] !== undefined;
      if (section === 'steps' || (section === 'open' && numbered))
        steps.push(...stepsOf(text, tools).slice(0, MOST_PARTS));
      else if (section === 'facts' || section === 'open') addFact(text);
    } else if (heading) {
      section = sectionOf(heading[1] ?? heading[2] ?? '');
    } else {
      // Prose ends a list.
      section = 'open';
      for (const part of line.split(/(?<=[.!?])\s+/).slice(0, MOST_PARTS)) {
        if (!INSTRUCTION.test(part)) addFact(part);
      }
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

/** Names that look like a tool's although no such tool is there: they are not said either. */
const IDENTIFIER = /\b[a-z]\w*_\w+\b/gi;

/** Finds the tools that a text names: those that there are, and what looks like one. */
function toolsNamedIn(text: string, tools: readonly string[]): string[] {
  const called = /\b(?:call|use|run|invoke|execute|trigger)\s+(?:the\s+)?[`'"“]?([\w-]+)/gi;
  const named = [...text.matchAll(called)].map(([, name]) => name!).filter((name) => tools.includes(name));
  const written = tools.filter((name) => name.includes('_') && new RegExp(`\\b${name}\\b`).test(text));
  const found = [...text.matchAll(IDENTIFIER)].map(([name]) => name);
  return [...new Set([...named, ...written, ...found])];
}

/** Splits a step that speaks and calls ("Ask for the day, then call find_slots."): each part for itself. */
function stepsOf(step: string, tools: readonly string[]): Step[] {
  if (toolsNamedIn(step, tools).length === 0) return [{ does: 'say', text: spoken(step) }];
  const parts = step.split(
    /,?\s*\b(?:and then|then)\b,?\s*|(?<=[.!?;])\s+|,\s+and\s+|\s+and\s+(?=(?:call|use|run)\b)/i,
  );
  return parts.flatMap((part): Step[] => {
    if (part.trim() === '') return [];
    const named = toolsNamedIn(part, tools);
    if (named.length > 0) return named.map((tool) => ({ does: 'call', tool }));
    return SPOKEN.test(part) ? [{ does: 'say', text: spoken(part) }] : [];
  });
}

/** Parts beside a tool's name that are meant for the caller; the rest says how to use the tool. */
const SPOKEN = /["“]|^(?:ask|say|tell)\b|\?\s*$/i;

/** Turns a step into what is said: its quoted words, its question, or its instruction turned into a question. */
function spoken(step: string): string {
  // From the first quotation mark: when it has no other behind it, none has.
  const quoted = /^[^"“]*["“](.+?)["”]/.exec(step)?.[1];
  if (quoted) return sentence(quoted);
  const said = /^(?:ask|say|tell (?:them|the caller|the customer|the patient))\s*:\s*(.+)$/i.exec(step)?.[1];
  if (said) return sentence(said);
  const instructed = /^(?:say|tell (?:them|the caller|the customer|the patient)) (?:that )?(.+)$/i.exec(
    step,
  )?.[1];
  if (instructed) return sentence(addressed(instructed));
  const ask = /^ask (?:them |the caller |the customer |the patient )?(?:for |about )?(.+)$/i.exec(step)?.[1];
  if (!ask) return sentence(step);
  const clause = addressed(ask.replace(/[.?]$/, ''));
  if (/^(?:if|whether) /i.test(clause)) return `May I ask ${clause}?`;
  return `Could you tell me ${clause}?`;
}

/** Turns what the prompt says about the caller into what is said to the caller. */
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
