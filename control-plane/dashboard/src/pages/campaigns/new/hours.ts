import type { CallingHours } from '../../../api/types.js';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const SHORT = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** `Mon–Fri 08:00–21:00, Sat 10:00–14:00`: calling hours as a line. */
export function hoursLine(hours: CallingHours): string {
  const parts: { readonly from: number; to: number; readonly text: string }[] = [];
  DAYS.forEach((day, index) => {
    const open = hours[day];
    if (open === null) return;
    const text = `${open.start}–${open.end}`;
    const last = parts.at(-1);
    if (last?.to === index - 1 && last.text === text) last.to = index;
    else parts.push({ from: index, to: index, text });
  });
  if (parts.length === 0) return 'never';
  return parts
    .map(({ from, to, text }) => `${SHORT[from]}${from === to ? '' : `–${SHORT[to]}`} ${text}`)
    .join(', ');
}
