import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** What will be here, and how it comes. */
  readonly children: ReactNode;
  /** What to do next: a button or a link. */
  readonly action?: ReactNode;
}

/** Says what a page shows when there is something to show, and how to get there. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps): ReactNode {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      <Icon aria-hidden className="size-8 text-muted" strokeWidth={1.5} />
      <h2 className="text-base font-semibold">{title}</h2>
      <div className="max-w-prose text-muted">{children}</div>
      {Boolean(action) && <div className="mt-2">{action}</div>}
    </div>
  );
}
