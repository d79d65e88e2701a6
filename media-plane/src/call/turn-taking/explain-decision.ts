import type { DecisionRule } from '@voice/shared/contracts/decisions';
import { type DecisionFacts, quoted } from './decision-facts.js';
import type { Effect, TurnMetric } from './effects.js';
import { eventWords, spaced } from './event-words.js';
import type { TurnTakingEvent } from './events.js';
import { outcomeOf } from './outcome-words.js';
import type { RecordedDecision } from './recorded-decisions.js';
import { words } from './words.js';

/** A decision in plain words. */
export interface Explanation {
  readonly rule: DecisionRule;
  /** What was known, and what the rule says of it. */
  readonly known: string;
  readonly outcome: string;
}

/** Explains a recorded decision; null where nothing but timers and figures followed. `facts` know its event already. */
export function explain({ event, effects }: RecordedDecision, facts: DecisionFacts): Explanation | null {
  const outcome = outcomeOf(effects, facts);
  if (outcome === null) return null;
  const rule = ruleOf(event, effects, facts);
  return { rule, known: knownOf(rule, event, effects, facts), outcome };
}

function ruleOf(event: TurnTakingEvent, effects: readonly Effect[], facts: DecisionFacts): DecisionRule {
  const has = (type: Effect['type']) => effects.some((effect) => effect.type === type);
  const dropped = (...reasons: string[]) =>
    effects.some((effect) => effect.type === 'abort' && reasons.includes(effect.reason));
  if (has('hang_up')) return 'ending';
  if (dropped('interrupted')) return 'interruption';
  if (has('pause')) return 'barge_in_pause';
  if (has('resume')) return 'false_interruption';
  if (metricOf(effects, 'end_of_turn') || has('commit')) return 'end_of_turn';
  if (effects.some((effect) => effect.type === 'generate' && effect.speculative)) return 'preemptive_answer';
  if (dropped('failed', 'timed_out') || FAILURES.has(event.type)) return 'failure';
  if (dropped('text_changed', 'caller_continued')) return 'answer_dropped';
  if (metricOf(effects, 'filler')) return 'filler';
  if (has('hand_over')) return 'handoff';
  if (has('run_tool') || has('cancel_tool') || event.type === 'tool_finished') return 'tool';
  if (event.type === 'call_started') return 'opening';
  if (event.type === 'timer' && event.name === 'silence') return 'silence';
  if (MACHINES.has(event.type) || (event.type === 'timer' && event.name === 'answering_machine'))
    return 'machine';
  const remembersCaller = effects.some(
    (effect) => effect.type === 'remember' && effect.entry.role === 'caller',
  );
  if (remembersCaller && facts.agentIsAudible && !has('generate')) return 'backchannel';
  return has('play') ? 'answer_heard' : 'note';
}

const FAILURES: ReadonlySet<TurnTakingEvent['type']> = new Set(['generation_failed', 'provider_failed']);
const MACHINES: ReadonlySet<TurnTakingEvent['type']> = new Set(['machine_detected', 'beep']);

function metricOf<Name extends TurnMetric['name']>(effects: readonly Effect[], name: Name) {
  for (const effect of effects) {
    if (effect.type === 'report' && effect.metric.name === name) {
      return effect.metric as Extract<TurnMetric, { name: Name }>;
    }
  }
  return undefined;
}

function knownOf(
  rule: DecisionRule,
  event: TurnTakingEvent,
  effects: readonly Effect[],
  facts: DecisionFacts,
): string {
  const { settings, silenceTimeoutMs } = facts.options;
  switch (rule) {
    case 'end_of_turn':
      return endOfTurn(event, effects, facts);
    case 'interruption':
      return interruption(event, facts);
    case 'barge_in_pause':
      return `The caller had spoken for ${spoken(event, facts)} while the agent spoke; from ${settings.barge_in_pause_ms} ms on it pauses, whatever the words.`;
    case 'false_interruption':
      return facts.callerText === ''
        ? `No word came with the caller’s sound, so it was no interruption (waited for at most ${settings.false_interruption_ms} ms).`
        : `${quoted(facts.callerText)} only says that the caller listens, so it was no interruption.`;
    case 'backchannel':
      return 'A short word while the agent spoke says that the caller listens: it is no turn and is not answered.';
    case 'preemptive_answer':
      return `${said(facts)} may be all: an answer is begun before the turn is surely over, so that it comes sooner.`;
    case 'answer_dropped':
      return `${said(facts)} came before the answer was heard.`;
    case 'filler':
      return `The caller had waited for ${settings.filler_delay_ms} ms, and the answer was not there yet.`;
    case 'silence':
      return `Nobody had spoken for ${silenceTimeoutMs} ms.`;
    case 'opening':
      return 'The line is open: the agent speaks first, unless it is to let the caller begin.';
    case 'answer_heard':
      return 'The answer was ready, and nobody else was speaking.';
    case 'tool':
      if (event.type === 'tool_finished') return `The tool ${event.ok ? 'is done' : 'failed'}.`;
      return event.type === 'tool_call' ? `The model called ${event.call.name}.` : eventWords(event);
    case 'failure':
      return 'code' in event ? `A provider failed (${event.code}).` : eventWords(event);
    case 'machine':
      return event.type === 'machine_detected'
        ? `The carrier says who answered: ${spaced(event.kind)}.`
        : eventWords(event);
    case 'handoff':
    case 'ending':
    case 'note':
      return eventWords(event);
  }
}

function interruption(event: TurnTakingEvent, facts: DecisionFacts): string {
  if (event.type === 'dtmf') return `The caller pressed ${event.digit}: a key is meant.`;
  const { barge_in_min_speech_ms: ms, barge_in_min_words: most } = facts.options.settings;
  const text = facts.callerText;
  const count = words(text).length;
  const by = text === '' ? '' : ` and said ${quoted(text)} (${count} ${count === 1 ? 'word' : 'words'})`;
  const limit = most === 1 ? '1 word' : `${most} words`;
  return `The caller had spoken for ${spoken(event, facts)}${by} while the agent spoke; ${limit}, or fewer and ${ms} ms, are an interruption.`;
}

function endOfTurn(event: TurnTakingEvent, effects: readonly Effect[], facts: DecisionFacts): string {
  const metric = metricOf(effects, 'end_of_turn');
  const silentMs = metric ? Math.max(0, Math.round(metric.decidedAt - metric.speechEndedAt)) : null;
  const after = silentMs === null ? '' : `, ${silentMs} ms after the caller’s last sound`;
  return `${said(facts)}${after}: ${whyOver(event, facts)}.`;
}

/** Why the caller’s turn was taken to be over. */
function whyOver(event: TurnTakingEvent, facts: DecisionFacts): string {
  const { min_endpointing_ms, max_endpointing_ms } = facts.options.settings;
  switch (event.type) {
    case 'timer':
      if (event.name === 'endpointing') {
        return `the pause that ends a turn had passed (${min_endpointing_ms} ms, more or less by what was said and how it sounds)`;
      }
      return event.name === 'max_endpointing'
        ? `no pause is longer than ${max_endpointing_ms} ms`
        : `the time for ${spaced(event.name)} had come`;
    case 'end_of_turn':
      return `the recogniser says that the turn is over (confidence ${event.confidence.toFixed(2)})`;
    case 'transcript':
      return 'the pause had passed already when the final words came';
    case 'turn_completion':
      return `by the sound of it the caller had finished (probability ${event.probability.toFixed(2)})`;
    case 'dtmf':
      return `the key ${event.digit} ends it`;
    case 'cleared':
    case 'playback_finished':
      return 'the agent had fallen silent';
    default:
      return `${spaced(event.type)} came`;
  }
}

function said(facts: DecisionFacts): string {
  return facts.callerText === '' ? 'What the caller said' : quoted(facts.callerText);
}

function spoken(event: TurnTakingEvent, facts: DecisionFacts): string {
  const ms = facts.spokenMs(event.at);
  return ms === null ? 'a while' : `${ms} ms`;
}
