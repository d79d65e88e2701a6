import { type DecisionFacts, quoted } from './decision-facts.js';
import type { AbortReason, Effect } from './effects.js';
import { spaced } from './event-words.js';

const DROPPED: Readonly<Record<AbortReason, string>> = {
  interrupted: 'its answer is broken off',
  text_changed: 'the answer begun in advance is dropped, as the words are others',
  caller_continued: 'the answer that was not heard yet is dropped, as the caller goes on',
  failed: 'the answer is dropped, as a provider failed',
  timed_out: 'the answer is dropped, as it made no sound in time',
  closing: 'the answer is dropped, as the call ends',
  superseded: 'the answer is dropped, as another is ready',
};

/**
 * Says in plain words what was decided; null where it was nothing but timers and figures. Arguments and results of
 * tools are left out: they may be kept out of the call's record.
 */
export function outcomeOf(effects: readonly Effect[], facts: DecisionFacts): string | null {
  const words = effects.flatMap((effect) => phraseOf(effect, facts) ?? []);
  if (words.length === 0) return null;
  const sentence = [...new Set(words)].join('; ');
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function phraseOf(effect: Effect, facts: DecisionFacts): string | undefined {
  switch (effect.type) {
    case 'generate':
      return effect.speculative ? 'an answer is begun in advance' : 'the agent begins its answer';
    case 'commit':
      return 'the answer that was begun in advance is used';
    case 'say':
      return `the agent is to say ${quoted(effect.text)}`;
    case 'abort':
      return DROPPED[effect.reason];
    case 'play': {
      const text = facts.textOf(effect.turn);
      return text === '' ? 'the agent speaks' : `the agent speaks: ${quoted(text)}`;
    }
    case 'pause':
      return 'the agent pauses';
    case 'resume':
      return `the agent goes on from ${(effect.fromMs / 1000).toFixed(1)} s of its turn`;
    case 'clear':
      return 'the agent falls silent';
    case 'remember': {
      const { role, text, heard_text, interrupted } = effect.entry;
      if (role === 'caller') return `the caller is taken to have said ${quoted(text)}`;
      return role === 'agent' && interrupted ? `of the agent was heard ${quoted(heard_text)}` : undefined;
    }
    case 'run_tool':
      return `the tool ${effect.call.name} runs`;
    case 'cancel_tool':
      return `the tool ${effect.call.name} is given up`;
    case 'hand_over':
      return 'the next agent takes over';
    case 'hang_up':
      return `the call ends: ${spaced(effect.reason)}`;
    case 'notice':
      return effect.message.replace(/\.$/, '');
    case 'truncate':
    case 'set_timer':
    case 'cancel_timer':
    case 'report':
      return undefined;
  }
}
