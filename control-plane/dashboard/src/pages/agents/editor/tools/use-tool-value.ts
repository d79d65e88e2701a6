import { useFormContext, useWatch } from 'react-hook-form';
import type { AgentForm } from '../form.js';
import type { Parsed } from './tools.js';
import { UNREAD, type UnreadTexts, withEntered } from './unread-texts.js';

/**
 * Returns a value of a tool that it may lack, and how to change it; `undefined` leaves it out. The form is not given
 * the field before somebody changes it: a tool that was only looked at has not changed.
 */
export function useToolValue(
  at: number,
  name: string,
): readonly [value: unknown, change: (value: unknown) => void] {
  const { control, setValue } = useFormContext<AgentForm>();
  const value: unknown = useWatch({ control, name: `tools.${at}.${name}` });
  return [value, (next) => setValue(`tools.${at}.${name}`, next as never, { shouldDirty: true })];
}

/** Returns what was entered for a field of a tool and cannot be read, and how to say what was entered. */
export function useUnreadText(
  at: number,
  field: string,
): readonly [text: string | undefined, enter: (text: string, parsed: Parsed<unknown>) => void] {
  const [value, setValue] = useToolValue(at, UNREAD);
  const unread = value as UnreadTexts | undefined;
  const enter = (text: string, parsed: Parsed<unknown>) => {
    if (!parsed.ok || unread !== undefined) setValue(withEntered(unread, field, text, parsed));
  };
  return [unread?.[field]?.text, enter];
}
