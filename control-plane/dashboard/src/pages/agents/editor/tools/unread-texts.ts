import type { Parsed } from './tools.js';

/** The field of a tool in the form that holds its texts that could not be read; the service never sees it. */
export const UNREAD = 'unread';

/**
 * Texts of a tool that could not be read, by the field they are of. The form keeps them, so that they are neither
 * lost when another part of the editor is looked at, nor passed over at a save.
 */
export type UnreadTexts = Readonly<
  Partial<Record<string, { readonly text: string; readonly problem: string }>>
>;

/** Those there are after a text was entered; `undefined` where all can be read. */
export function withEntered(
  unread: UnreadTexts | undefined,
  field: string,
  text: string,
  parsed: Parsed<unknown>,
): UnreadTexts | undefined {
  const others = Object.entries(unread ?? {}).filter(([name]) => name !== field);
  const all = parsed.ok ? others : [...others, [field, { text, problem: parsed.problem }] as const];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}
