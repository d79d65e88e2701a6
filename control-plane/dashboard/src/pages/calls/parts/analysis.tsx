import type { ReactNode } from 'react';
import type { CallDetail } from '../../../api/types.js';
import { label } from '../../../format/words.js';
import { Badge } from '../../../ui/badge.js';
import { CodeBlock } from '../../../ui/code-block.js';
import { Card } from '../../../ui/page.js';

const SENTIMENTS = { positive: 'good', neutral: 'neutral', negative: 'bad' } as const;

/** What the analysis after the call found; nothing before it ran. */
export function Analysis({ call: { analysis } }: { readonly call: CallDetail }): ReactNode {
  if (analysis === null || analysis.status === 'skipped') return null;
  if (analysis.status === 'failed') {
    return (
      <Card title="Analysis">
        <p className="px-4 py-3 text-bad">{analysis.error_message ?? 'The analysis failed.'}</p>
      </Card>
    );
  }
  return (
    <Card
      title="Analysis"
      aside={
        <span className="flex gap-2">
          {analysis.outcome !== null && <Badge tone="accent">{label(analysis.outcome)}</Badge>}
          {analysis.sentiment !== null && (
            <Badge tone={SENTIMENTS[analysis.sentiment]}>{label(analysis.sentiment)}</Badge>
          )}
        </span>
      }
    >
      <div className="flex flex-col gap-3 px-4 py-3">
        {analysis.summary !== null && <p className="max-w-prose">{analysis.summary}</p>}
        {Object.entries(analysis.scorecard ?? {}).map(([name, { score, reason }]) => (
          <p key={name}>
            <strong>{label(name)}</strong> <span className="tabular-nums">{score}</span>
            <span className="text-muted"> · {reason}</span>
          </p>
        ))}
        {analysis.extracted_data !== null && (
          <CodeBlock label="extracted data" code={JSON.stringify(analysis.extracted_data, null, 2)} />
        )}
      </div>
    </Card>
  );
}
