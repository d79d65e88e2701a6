import { get } from 'react-hook-form';

/** What is wrong with a field of a tool, which the form's types do not know by name. */
export function problemOf(errors: object, path: string): string | undefined {
  const found: unknown = get(errors, path);
  if (typeof found !== 'object' || found === null) return undefined;
  const { message, root } = found as { message?: unknown; root?: { message?: unknown } };
  return [message, root?.message].find((text): text is string => typeof text === 'string');
}
