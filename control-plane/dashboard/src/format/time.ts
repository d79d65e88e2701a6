/** Formats durations and points in time. Nothing here reads the clock: `now` is given, in epoch ms. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `640 ms`, `1.24 s`: latencies, which are read to compare them. */
export function latency(ms: number): string {
  return ms < SECOND ? `${Math.round(ms)} ms` : `${(ms / SECOND).toFixed(2)} s`;
}

/** `2:05`, `1:00:07`: how long a call lasted, or a position in it. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / SECOND);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** `just now`, `5 min ago`, `in 3 h`, `2 days ago`. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 45 * SECOND) return 'just now';
  const [amount, unit] =
    distance < 45 * MINUTE
      ? [Math.max(1, Math.round(distance / MINUTE)), 'min']
      : distance < 22 * HOUR
        ? [Math.max(1, Math.round(distance / HOUR)), 'h']
        : [Math.max(1, Math.round(distance / DAY)), Math.round(distance / DAY) > 1 ? 'days' : 'day'];
  return at > now ? `in ${amount} ${unit}` : `${amount} ${unit} ago`;
}

/** `22 Nov 2026, 20:17:03`, in the reader's own zone and language. */
export function dateTime(at: number | string, options: { readonly timeZone?: string } = {}): string {
  return new Date(at).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    ...options,
  });
}

/** `2026-11-22T20:17`: a point in time as a browser's field for a local time holds it. */
export function localInput(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}

/** `29 Nov`, in the reader's own zone and language. */
export function dayAndMonth(at: string): string {
  return new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
}
