import type { ReactNode } from 'react';
import type { Line } from '../../../assets/talk/conversation.js';
import { Waterfall } from '../pages/calls/parts/waterfall.js';
import { classes } from '../ui/classes.js';
import { VirtualList } from '../ui/virtual-list.js';

interface LiveTranscriptProps {
  readonly lines: readonly Line[];
  readonly agentName: string;
  readonly callerName: string;
  /** What is shown before anybody spoke. */
  readonly empty: string;
}

/** A conversation while it goes on; it stays at its end unless somebody scrolls back. */
export function LiveTranscript({ lines, agentName, callerName, empty }: LiveTranscriptProps): ReactNode {
  const scaleMs = Math.max(1000, ...lines.map(({ metrics }) => metrics?.response_latency_ms ?? 0));
  const names = { caller: callerName, agent: agentName, operator: 'Operator', note: '' } as const;
  return (
    <VirtualList
      label="Conversation"
      followsEnd
      rows={lines}
      idOf={({ key }) => key}
      rowHeight={48}
      gap={10}
      padding={16}
      className="min-h-48 flex-1 px-4"
      empty={
        <p className="flex h-full items-center justify-center text-center text-muted">
          <span className="max-w-xs">{empty}</span>
        </p>
      }
    >
      {(line) =>
        line.role === 'note' ? (
          <p className="text-xs text-muted">{line.text}</p>
        ) : (
          // What may still change is not read out.
          <div aria-hidden={!line.final || undefined}>
            <span
              className={classes(
                'text-xs font-semibold',
                line.role === 'caller' ? 'text-caller' : 'text-agent',
              )}
            >
              {names[line.role]}
            </span>
            <p
              className={classes(
                'max-w-prose leading-relaxed break-words',
                !line.final && 'text-muted italic',
              )}
            >
              {line.text}
              {line.unheard !== '' && (
                <del className="text-muted" title="Not heard: the other side interrupted.">
                  {line.unheard}
                </del>
              )}
            </p>
            {line.metrics !== null && <Waterfall metrics={line.metrics} scaleMs={scaleMs} />}
          </div>
        )
      }
    </VirtualList>
  );
}
