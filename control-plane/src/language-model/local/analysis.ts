import type { LlmMessage } from '@voice/shared/language-model/conversation';
import { answersOf, argumentsFor } from '@voice/shared/rule-based-model/tools';
import { isQuestion, sentencesOf } from '@voice/shared/rule-based-model/understanding';
import { choicesOf, propertiesOf } from './json-schema.js';
import { labelFor, SCORE_OF, type Signal, signalIn } from './signals.js';
import { callersWords, conversationIn } from './transcript.js';

const QUOTE_LIMIT = 160;
/** Each field is looked for in each of the last turns: fields, and characters of those turns. */
const MOST_FIELDS = 100;
const EXTRACTION_LIMIT = 20_000;

/** Analyses a call by keywords: what the schema asks for, from the transcript in the text. Pure. */
export function analyseByRules(schema: unknown, text: string): Record<string, unknown> {
  const messages = conversationIn(text);
  const said = callersWords(messages);
  const signal = signalIn(said, /^Ended by: transferred$/m.test(text));
  const asked = new Map(propertiesOf(schema));
  const answer: Record<string, unknown> = {};
  if (asked.has('outcome')) answer.outcome = labelFor(signal, choicesOf(asked.get('outcome')));
  if (asked.has('outcome_score')) answer.outcome_score = SCORE_OF[signal];
  if (asked.has('sentiment')) answer.sentiment = sentimentOf(signal, said);
  if (asked.has('summary')) answer.summary = summaryOf(said, messages.length, signal);
  if (asked.has('scorecard')) {
    const reason = `By rule: ${signal.replaceAll('_', ' ')}.`;
    answer.scorecard = Object.fromEntries(
      propertiesOf(asked.get('scorecard')).map(([name]) => [name, { score: SCORE_OF[signal], reason }]),
    );
  }
  if (asked.has('extracted_data')) {
    const wanted = propertiesOf(asked.get('extracted_data'));
    const looked = wanted.slice(0, MOST_FIELDS);
    const tool = {
      name: 'extract',
      description: '',
      parameters: {
        type: 'object',
        properties: Object.fromEntries(looked.map(([name, of]) => [name, plain(of)])),
      },
    };
    const found = argumentsFor(tool, answersOf(lastOf(messages))).arguments;
    // What nobody said is null: rules invent nothing.
    answer.extracted_data = Object.fromEntries(wanted.map(([name]) => [name, found[name] ?? null]));
  }
  return answer;
}

/** Returns the last messages, as many as `EXTRACTION_LIMIT` holds. */
function lastOf(messages: readonly LlmMessage[]): readonly LlmMessage[] {
  let characters = 0;
  const first = messages.findLastIndex(({ content }) => {
    characters += content.length;
    return characters > EXTRACTION_LIMIT;
  });
  return messages.slice(first + 1);
}

/** Returns a property without its null, as tools describe their arguments. */
function plain(schema: unknown): unknown {
  const alternatives = (schema as { anyOf?: { type?: unknown }[] }).anyOf;
  return alternatives?.find(({ type }) => type !== 'null') ?? schema;
}

function sentimentOf(signal: Signal, said: string): 'positive' | 'neutral' | 'negative' {
  if (signal === 'do_not_call' || signal === 'refused') return 'negative';
  if (/\b(?:thank|thanks|great|perfect|wonderful|lovely|glad|happy)\b/i.test(said)) return 'positive';
  if (/\b(?:angry|annoyed|terrible|awful|ridiculous|complain)/i.test(said)) return 'negative';
  return signal === 'agreed' ? 'positive' : 'neutral';
}

function summaryOf(said: string, turns: number, signal: Signal): string {
  if (said.trim() === '') return turns === 0 ? 'Nothing was said.' : 'The caller said nothing.';
  const sentences = sentencesOf(said);
  const questions = sentences.filter(isQuestion);
  const longest = sentences
    .filter((sentence) => !isQuestion(sentence))
    .sort((a, b) => b.length - a.length)[0];
  const parts = [`A conversation of ${turns} turns.`];
  if (longest) parts.push(`The caller said: "${quoted(longest)}"`);
  if (questions[0]) parts.push(`They asked: "${quoted(questions[0])}"`);
  if (signal === 'do_not_call') parts.push('They asked not to be called again.');
  return parts.join(' ');
}

function quoted(text: string): string {
  return text.length <= QUOTE_LIMIT ? text : `${text.slice(0, QUOTE_LIMIT - 1)}…`;
}
