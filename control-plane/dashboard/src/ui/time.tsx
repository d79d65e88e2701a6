import { type ReactNode, useSyncExternalStore } from 'react';
import { dateTime, relativeTime } from '../format/time.js';
import { classes } from './classes.js';

const TICK_MS = 15_000;

function subscribe(onTick: () => void): () => void {
  const timer = setInterval(onTick, TICK_MS);
  return () => clearInterval(timer);
}
const tick = () => Math.floor(Date.now() / TICK_MS) * TICK_MS;

interface TimeProps {
  readonly at: string;
  /** Beside what is more important. */
  readonly quiet?: boolean;
}

/** A point in time as people say it, exact in its tooltip. Goes on by itself. */
export function Time({ at, quiet = false }: TimeProps): ReactNode {
  // Never older than what it is compared with.
  const now = Math.max(useSyncExternalStore(subscribe, tick), Date.parse(at));
  return (
    <time dateTime={at} title={dateTime(at)} className={classes('whitespace-nowrap', quiet && 'text-muted')}>
      {relativeTime(Date.parse(at), now)}
    </time>
  );
}
