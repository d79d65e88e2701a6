import type { ReactNode } from 'react';
import type { Line } from '../../../assets/talk/conversation.js';
import { Waterfall } from '../pages/calls/parts/waterfall.js';
import { classes } from '../ui/classes.js';
import { ConversationLines } from './conversation-lines.js';

interface LiveTranscriptProps {
  readonly lines: readonly Line[];
  readonly agentName: string;
  readonly callerName: string;
  /** What is shown before anybody spoke. */
  readonly empty: string;
}

/** A call's words as they come, with what was not heard and how each answer's time was spent. */
export function LiveTranscript({ lines, agentName, callerName, empty }: LiveTranscriptProps): ReactNode {
  const scaleMs = Math.max(1000, ...lines.map(({ metrics }) => metrics?.response_latency_ms ?? 0));
  return (
    <ConversationLines
      label="Conversation"
      lines={lines}
      idOf={({ key }) => key}
      names={{ caller: callerName, agent: agentName }}
      empty={empty}
      isOpen={({ final }) => !final}
    >
      {(line) => (
        <>
          <p
            className={classes('max-w-prose leading-relaxed break-words', !line.final && 'text-muted italic')}
          >
            {line.text}
            {line.unheard !== '' && (
              <del className="text-muted" title="Not heard: the other side interrupted.">
                {line.unheard}
              </del>
            )}
          </p>
          {line.metrics !== null && <Waterfall metrics={line.metrics} scaleMs={scaleMs} />}
        </>
      )}
    </ConversationLines>
  );
}
