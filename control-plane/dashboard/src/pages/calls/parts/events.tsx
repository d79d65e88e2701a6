import type { ReactNode } from 'react';
import type { TimelineEvent } from '../../../api/types.js';
import { clock } from '../../../format/time.js';
import { CodeBlock } from '../../../ui/code-block.js';
import { Card } from '../../../ui/page.js';
import { useUnfolded, VirtualList } from '../../../ui/virtual-list.js';

/** What happened when, as webhooks say it; each with what belongs to it. */
export function Events({ events }: { readonly events: readonly TimelineEvent[] }): ReactNode {
  const { isUnfolded, unfold } = useUnfolded();
  const [first] = events;
  if (first === undefined) return null;
  const begin = Date.parse(first.at);
  return (
    <Card title="Events">
      <VirtualList
        label="Events"
        rows={events}
        idOf={({ id }) => id}
        rowHeight={28}
        padding={4}
        className="max-h-[36rem]"
      >
        {({ id, type, at, data }) => (
          <details
            open={isUnfolded(id)}
            onToggle={({ currentTarget }) => unfold(id, currentTarget.open)}
            className="px-4"
          >
            <summary className="flex cursor-pointer items-baseline gap-3 py-1">
              <time dateTime={at} className="w-12 text-xs text-muted tabular-nums">
                +{clock(Math.max(0, Date.parse(at) - begin))}
              </time>
              <code className="font-mono text-xs">{type}</code>
            </summary>
            <CodeBlock label={`data of ${type}`} code={JSON.stringify(data, null, 2)} />
          </details>
        )}
      </VirtualList>
    </Card>
  );
}
