import type { ReactNode } from 'react';
import { classes } from './classes.js';

const TONES = {
  neutral: 'border-line text-muted',
  accent: 'border-transparent bg-accent-soft text-accent',
  good: 'border-transparent bg-good-soft text-good',
  warn: 'border-transparent bg-warn-soft text-warn',
  bad: 'border-transparent bg-bad-soft text-bad',
} as const;

export type Tone = keyof typeof TONES;

interface BadgeProps {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A status in a word or two. The word says it; the colour only helps. */
export function Badge({ tone = 'neutral', title, children }: BadgeProps): ReactNode {
  return (
    <span
      title={title}
      className={classes(
        'inline-flex items-center gap-1 rounded-full border px-2 py-px text-xs font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
