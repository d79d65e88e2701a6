import type { ReactNode } from 'react';
import { classes } from './classes.js';

interface PageProps {
  readonly title: string;
  /** What is before the title: a way back. */
  readonly before?: ReactNode;
  /** Beside the title. */
  readonly badge?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** The page is as high as the window: a list in it scrolls by itself. */
  readonly fill?: boolean;
  readonly children: ReactNode;
}

/** The frame of every page: one heading, what can be done, the content. */
export function Page({
  title,
  before,
  badge,
  description,
  actions,
  fill = false,
  children,
}: PageProps): ReactNode {
  return (
    <div
      className={classes(
        'mx-auto flex w-full max-w-[120rem] flex-col gap-4 p-4 md:p-6',
        fill ? 'h-full' : 'min-h-full shrink-0',
      )}
    >
      <title>{`${title} · Voice agents`}</title>
      <header className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          {before}
          <div className="flex flex-wrap items-center gap-2">
            <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
            {badge}
          </div>
          {description !== undefined && <p className="mt-0.5 max-w-prose text-muted">{description}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface CardProps {
  readonly title?: string;
  /** Beside the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A part of a page, with a heading of its own. */
export function Card({ title, aside, children, className = '' }: CardProps): ReactNode {
  return (
    <section className={`rounded-lg border border-line bg-surface ${className}`}>
      {title !== undefined && (
        <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5">
          <h2 className="font-semibold">{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}
