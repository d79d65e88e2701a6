import { z } from 'zod';
import { ANALYSIS_STATUSES, type AnalysisRow, SENTIMENTS } from './analysis-model.js';

export const callAnalysis = z
  .object({
    status: z
      .enum(ANALYSIS_STATUSES)
      .describe('`failed` and `skipped` have no results; `error_code` says why.'),
    outcome: z.string().nullable(),
    outcome_score: z
      .number()
      .nullable()
      .describe("0 to 1: the scorecard's weighted mean, or without one how far the goal was reached."),
    summary: z.string().nullable(),
    sentiment: z.enum(SENTIMENTS).nullable(),
    scorecard: z
      .record(z.string(), z.object({ score: z.number(), reason: z.string() }))
      .nullable()
      .describe('By criterion, 0 to 1.'),
    extracted_data: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('By the extraction schema; null for what was not said.'),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
  })
  .meta({ id: 'CallAnalysis' });
export type CallAnalysis = z.infer<typeof callAnalysis>;

/** Presents a stored analysis as the API shows it. */
export function presentAnalysis(row: AnalysisRow): CallAnalysis {
  return {
    status: row.status,
    outcome: row.outcome,
    outcome_score: row.outcome_score,
    summary: row.summary,
    sentiment: row.sentiment,
    scorecard: row.scorecard ? (JSON.parse(row.scorecard) as CallAnalysis['scorecard']) : null,
    extracted_data: row.extracted_data
      ? (JSON.parse(row.extracted_data) as CallAnalysis['extracted_data'])
      : null,
    error_code: row.error_code,
    error_message: row.error_message,
  };
}
