import { ValidationError } from '../../platform/http/validation.js';

/** What `{{name}}` may stand for. */
export type Variables = Readonly<Record<string, string | number | boolean>>;

const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/** What all variables of a text may be together, in characters: four times the longest prompt. */
const MOST_RENDERED = 200_000;

/**
 * Renders `{{name}}` from the variables. One pass, so a value that contains braces is not rendered again;
 * a name that nobody gave becomes nothing, because an agent must never say "curly braces" to a caller. Throws
 * `ValidationError` where they make a text that no model reads: ten thousand times a long value fills the memory.
 */
export function renderVariables(template: string, variables: Variables): string {
  let rendered = 0;
  return template.replace(PLACEHOLDER, (_, name: string) => {
    const value = Object.hasOwn(variables, name) ? String(variables[name]) : '';
    rendered += value.length;
    if (rendered > MOST_RENDERED) throw tooLong();
    return value;
  });
}

function tooLong(): ValidationError {
  const msg = `make a text of the agent longer by more than ${MOST_RENDERED} characters`;
  return new ValidationError([{ loc: ['body', 'variables'], msg, type: 'too_long' }]);
}
