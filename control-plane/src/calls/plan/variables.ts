/** What `{{name}}` may stand for. */
export type Variables = Readonly<Record<string, string | number | boolean>>;

const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

/**
 * Renders `{{name}}` from the variables. One pass, so a value that contains braces is not rendered again;
 * a name that nobody gave becomes nothing, because an agent must never say "curly braces" to a caller.
 */
export function renderVariables(template: string, variables: Variables): string {
  return template.replace(PLACEHOLDER, (_, name: string) =>
    Object.hasOwn(variables, name) ? String(variables[name]) : '',
  );
}
