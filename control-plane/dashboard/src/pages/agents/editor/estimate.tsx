import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Agent } from '../../../api/types.js';
import { useApi } from '../../../app/mode.js';
import { estimateQuery } from '../query.js';

const PARTS = [
  ['stt', 'recognition'],
  ['llm', 'model'],
  ['tts', 'voice'],
  ['carrier', 'carrier'],
  ['service', 'service'],
] as const;

const usd = (amount: number) => `$${amount.toFixed(3)}`;

/** What the agent as it is saved costs a minute, and how soon it answered so far. Nothing while that is not known. */
export function Estimate({ agent }: { readonly agent: Agent }): ReactNode {
  const { data } = useQuery(estimateQuery(useApi(), agent.id, agent.version));
  if (data === undefined) return null;
  const { cost_per_minute: cost, measured } = data;
  const parts = PARTS.map(([part, word]) => `${word} ${usd(cost[part])}`).join(', ');
  const latency = measured?.response_latency_ms.p50;
  return (
    <p className="text-muted">
      <span title={`A typical minute in production: ${parts}`}>About {usd(cost.total)} a minute</span>
      {' · '}
      {latency === null || latency === undefined
        ? 'No calls yet to measure how soon it answers'
        : `Answers in ${Math.round(latency)} ms (median of its last ${measured?.calls} calls)`}
    </p>
  );
}
