import { type ReactNode, useEffect, useRef } from 'react';
import type { Line } from '../../../assets/talk/conversation.js';
import { Waterfall } from '../pages/calls/parts/waterfall.js';
import { classes } from '../ui/classes.js';

interface LiveTranscriptProps {
  readonly lines: readonly Line[];
  readonly agentName: string;
  readonly callerName: string;
  /** What is shown before anybody spoke. */
  readonly empty: string;
}

/** How close to the end counts as reading along, in px. */
const NEAR = 80;

/** A conversation while it goes on; it stays at its end unless somebody scrolls back. */
export function LiveTranscript({ lines, agentName, callerName, empty }: LiveTranscriptProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new line may move the end
  useEffect(() => {
    if (atEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [lines]);
  const scaleMs = Math.max(1000, ...lines.map(({ metrics }) => metrics?.response_latency_ms ?? 0));
  const names = { caller: callerName, agent: agentName, operator: 'Operator', note: '' } as const;
  return (
    <div
      ref={list}
      role="log"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
      className="min-h-48 flex-1 overflow-auto p-4"
    >
      <ol className="flex min-h-full flex-col gap-2.5">
        {lines.length === 0 && <li className="m-auto max-w-xs text-center text-muted">{empty}</li>}
        {lines.map((line) =>
          line.role === 'note' ? (
            <li key={line.key} className="text-xs text-muted">
              {line.text}
            </li>
          ) : (
            // What may still change is not read out.
            <li key={line.key} aria-hidden={!line.final || undefined}>
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
            </li>
          ),
        )}
      </ol>
    </div>
  );
}
