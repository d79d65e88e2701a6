import type { ReactNode } from 'react';
import type { Campaign } from '../../../api/types.js';
import { progressOf } from '../progress.js';

/** How many contacts are done, as a bar and in words. */
export function ProgressBar({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const { done, total, share } = progressOf(campaign);
  return (
    <div className="flex items-center gap-2">
      <div aria-hidden className="h-1.5 min-w-10 flex-1 overflow-hidden rounded-full bg-sunken">
        <div className="h-full bg-accent" style={{ width: `${share * 100}%` }} />
      </div>
      <span className="text-xs text-muted tabular-nums">
        {done.toLocaleString('en-US')} of {total.toLocaleString('en-US')}
      </span>
    </div>
  );
}
