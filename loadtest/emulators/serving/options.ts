import { ConfigurationError, parseOption } from '@voice/shared/environment/environment';
import { choice, number } from '@voice/shared/environment/parsers';

const notNegative = number({ min: 0, max: Number.POSITIVE_INFINITY });

/** Parses the number of an option, not negative; `name` without its dashes. */
export const numberOption = (name: string, text: string): number =>
  parseOption(`--${name}`, notNegative, text);

/** Parses the number of an option, above 0. */
export function positiveOption(name: string, text: string): number {
  const value = numberOption(name, text);
  if (value > 0) return value;
  throw new ConfigurationError(`--${name}: expected a number above 0, got '${text}'`);
}

/** Parses an option that is one of some words. */
export const choiceOption = <const Word extends string>(
  name: string,
  text: string,
  words: readonly [Word, ...Word[]],
) => parseOption(`--${name}`, choice(words), text);
