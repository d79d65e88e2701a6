import type { AnthropicParams } from '../catalogue/params/anthropic.js';

interface Thinking {
  readonly thinking?: NonNullable<AnthropicParams['thinking']>;
  readonly effort?: NonNullable<AnthropicParams['effort']>;
}

/**
 * The least that a model thinks, by the beginning of its name, the longest that fits
 * (platform.claude.com, migration guides of Opus 5.5, Sonnet 5.5 and Haiku 5.5): some can be kept from it, one up to its
 * first tool, some only from thinking long. Models that are not named do not think unasked.
 */
const LEAST: Readonly<Record<string, Thinking>> = {
  'claude-haiku-5': { thinking: 'disabled' },
  'claude-sonnet-5': { thinking: 'disabled' },
  'claude-sonnet-5-5': { thinking: 'between_tools' },
  'claude-opus-5': { thinking: 'disabled' },
  'claude-opus-5-5': { effort: 'low' },
  'claude-fable': { effort: 'low' },
  'claude-mythos': { effort: 'low' },
};

/** Returns how much the model is to think: what the agent says, else the least that it can. Pure. */
export function thinkingOf(model: string, { thinking, effort }: AnthropicParams): Thinking {
  const family = Object.keys(LEAST)
    .filter((name) => model.startsWith(name))
    .sort((a, b) => b.length - a.length)[0];
  const least = family === undefined ? {} : LEAST[family]!;
  // What keeps one from thinking is refused together with more effort than this.
  const keepsQuiet = effort !== 'xhigh' && effort !== 'max';
  return {
    ...(keepsQuiet ? least : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(effort === undefined ? {} : { effort }),
  };
}
