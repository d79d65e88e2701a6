import { useFormContext, useWatch } from 'react-hook-form';
import type { AgentForm } from '../form.js';

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
