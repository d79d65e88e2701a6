import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { useApi } from '../../../api/mode.js';
import type { Agent } from '../../../api/types.js';
import { Skeleton } from '../../../ui/skeleton.js';
import { useLasting, useSettled } from '../../../ui/use-settled.js';
import { changedEstimateQuery, estimateQuery } from '../query.js';
import { answerWords, partWords } from './estimate-words.js';
import { type AgentForm, formOf } from './form.js';

const PARTS = [
  ['stt', 'recognition'],
  ['llm', 'model'],
  ['tts', 'voice'],
  ['carrier', 'carrier'],
  ['service', 'service'],
] as const;
/** After a pause of so many ms in the typing, the estimate is asked for. */
const PAUSE_MS = 300;
/** So many ms the estimate of before stands for one that is on its way. */
const PATIENCE_MS = 200;

const usd = (amount: number) => `$${amount.toFixed(3)}`;

/** What the agent as it stands in the form costs a minute, and how soon it is expected to answer. */
export function Estimate({ agent }: { readonly agent: Agent }): ReactNode {
  const context = useApi();
  const { control } = useFormContext<AgentForm>();
  // As text, so that a form that is set to the same values asks for nothing.
  const [voice_config, turn_taking] = useWatch({ control, name: ['voice_config', 'turn_taking'] });
  const change = useSettled(JSON.stringify(timedPart({ voice_config, turn_taking })), PAUSE_MS);
  const isSaved = change === JSON.stringify(timedPart(formOf(agent)));
  const saved = useQuery({ ...estimateQuery(context, agent.id, agent.version), enabled: isSaved });
  const changed = useQuery({
    ...changedEstimateQuery(context, agent.id, agent.version, change),
    enabled: !isSaved,
  });
  const asked = isSaved ? saved : changed;
  const { error, isPlaceholderData, isPending, data = saved.data } = asked;
  const ofChange = !isSaved && asked.data !== undefined;
  const isLate = useLasting(isPending || isPlaceholderData, PATIENCE_MS);
  if (isLate && error === null) return <Skeleton className="h-5 w-96 max-w-full" />;
  if (error !== null) return isSaved ? null : <p className="text-muted">No estimate: {error.message}</p>;
  if (data === undefined) return <p className="h-5" />;
  const { cost_per_minute: cost, measured, expected_latency: expected } = data;
  const parts = PARTS.map(([part, word]) => `${word} ${usd(cost[part])}`).join(', ');
  return (
    <div className="text-muted">
      <p aria-live="polite">
        <span title={`A typical minute in production: ${parts}`}>About {usd(cost.total)} a minute</span>
        {' · '}
        {answerWords(expected, { hasCalls: measured !== null, ofChange })}
      </p>
      <details className="mt-1">
        <summary className="w-fit cursor-pointer text-xs underline">What the answer waits for</summary>
        <ul className="mt-1 flex flex-col gap-0.5 text-xs">
          {expected.parts.map((part) => (
            <li key={part.stage}>{partWords(part)}</li>
          ))}
        </ul>
      </details>
    </div>
  );
}

/** What of the form the estimate is of. */
const timedPart = ({ voice_config, turn_taking }: Pick<AgentForm, 'voice_config' | 'turn_taking'>) => ({
  voice_config,
  turn_taking,
});
