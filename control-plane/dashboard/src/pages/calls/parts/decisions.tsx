import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../../api/errors.js';
import { useApi } from '../../../api/mode.js';
import type { CallDecision, CallDecisions } from '../../../api/types.js';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Select } from '../../../ui/field.js';
import { Card } from '../../../ui/page.js';
import { SkeletonRows } from '../../../ui/skeleton.js';
import { VirtualList } from '../../../ui/virtual-list.js';
import { decisionsFor, QUESTIONS, type Question, RULES, replaySentence } from '../decisions.js';
import { decisionsQuery } from '../query.js';

interface DecisionsProps {
  readonly callId: string;
  /** Plays the recording from there; null without one. */
  readonly onSeek: ((toMs: number) => void) | null;
}

/** Why the agent spoke, waited or fell silent: loaded when somebody asks. */
export function Decisions({ callId, onSeek }: DecisionsProps): ReactNode {
  const [asked, setAsked] = useState(false);
  return (
    <Card title="Decisions">
      {asked ? (
        <Asked callId={callId} onSeek={onSeek} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
          <p className="max-w-prose text-muted">
            Why did it interrupt me? Every decision with what was known and the rule, and what today’s rules
            would do instead.
          </p>
          <Button onClick={() => setAsked(true)}>Show the decisions</Button>
        </div>
      )}
    </Card>
  );
}

function Asked({ callId, onSeek }: DecisionsProps): ReactNode {
  const decisions = useQuery(decisionsQuery(useApi(), callId));
  if (decisions.isPending) return <SkeletonRows rows={4} />;
  if (decisions.isLoadingError) {
    const isMissing =
      decisions.error instanceof ApiError && decisions.error.code === 'decision_log_not_found';
    return isMissing ? (
      <p className="px-4 py-3 text-muted">
        No decisions are kept of this call: it had no conversation, is not over yet, or its transcript was
        erased.
      </p>
    ) : (
      <div className="p-4">
        <ErrorState
          title="The decisions could not be loaded"
          error={decisions.error}
          onRetry={() => void decisions.refetch()}
        />
      </div>
    );
  }
  return <Shown call={decisions.data} onSeek={onSeek} />;
}

function Shown({
  call,
  onSeek,
}: {
  readonly call: CallDecisions;
  readonly onSeek: DecisionsProps['onSeek'];
}): ReactNode {
  const [question, setQuestion] = useState<Question>('all');
  const [onlyDifferent, setOnlyDifferent] = useState(false);
  const shown = decisionsFor(call, question, onlyDifferent);
  const first = call.decisions.find(({ today }) => today !== null);
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-3">
        <Select
          aria-label="Question"
          className="w-auto! max-w-full"
          value={question}
          onChange={({ target }) => setQuestion(target.value as Question)}
        >
          {Object.entries(QUESTIONS).map(([key, { question: text }]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </Select>
        {first !== undefined && (
          <label className="flex min-h-9 items-center gap-2">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={onlyDifferent}
              onChange={({ target }) => setOnlyDifferent(target.checked)}
            />
            Only what would be otherwise today
          </label>
        )}
        <p className="w-full text-muted">{replaySentence(call)}</p>
      </div>
      {shown.length === 0 ? (
        <p className="px-4 py-3 text-muted">No decision of this call is of that kind.</p>
      ) : (
        <VirtualList
          label="Decisions"
          rows={shown}
          idOf={({ step }) => String(step)}
          rowHeight={58}
          className="max-h-[36rem]"
        >
          {(decision) => <Row decision={decision} isFirst={decision.step === first?.step} onSeek={onSeek} />}
        </VirtualList>
      )}
      {call.truncated && (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          The call had more decisions than are listed: only the first 2,000 are.
        </p>
      )}
    </>
  );
}

interface RowProps {
  readonly decision: CallDecision;
  /** Whether it is the first that today’s rules take otherwise. */
  readonly isFirst: boolean;
  readonly onSeek: DecisionsProps['onSeek'];
}

function Row({ decision: { at_ms, rule, known, outcome, today }, isFirst, onSeek }: RowProps): ReactNode {
  const time = `${(at_ms / 1000).toFixed(2)} s`;
  return (
    <div className="flex flex-col gap-1 border-b border-line px-4 py-2 sm:flex-row sm:gap-3">
      <span className="w-20 shrink-0 tabular-nums">
        {onSeek === null ? (
          <span className="text-muted">{time}</span>
        ) : (
          <button
            type="button"
            aria-label={`Play the recording from ${time}`}
            className="text-muted underline hover:text-text"
            onClick={() => onSeek(at_ms)}
          >
            {time}
          </button>
        )}
      </span>
      <span className="w-48 shrink-0">
        <Badge tone={rule === 'interruption' || rule === 'failure' ? 'warn' : 'neutral'}>{RULES[rule]}</Badge>
      </span>
      <div className="min-w-0 flex-1">
        <p className="text-muted">{known}</p>
        {outcome !== '' && <p>{outcome}</p>}
        {today !== null && (
          <p className={isFirst ? 'font-medium text-accent' : 'text-muted'}>
            Today: {today === '' ? 'nothing would be done at this moment.' : today}
            {!isFirst && ' It may only follow from the first difference.'}
          </p>
        )}
      </div>
    </div>
  );
}
