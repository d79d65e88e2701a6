import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import { ServiceError } from '@voice/shared/errors/service-error';
import { derivedId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { TextSessionUsage } from '../billing/text-session-charges.js';
import type { CallsService } from '../calls/calls-service.js';
import { type AnalysisSettings, analysisQuestion, scoreOf } from '../calls/post-call/analysis-question.js';
import { isRecordingSettled } from '../calls/post-call/end-publication.js';
import type { CallAnalysis } from '../calls/record/analysis-presenter.js';
import { isTerminal } from '../calls/record/call-state.js';
import { modelOfAgent } from '../language-model/language-models.js';
import type { StructuredLanguageModel } from '../language-model/port.js';
import { apiError } from '../platform/http/error-codes.js';
import { BackgroundWork } from '../platform/jobs/background.js';
import { ownedBy, scopeOf, type TenantScope } from '../platform/store/tenant-scope.js';
import type { TestSessionResult } from './schemas.js';
import type { TestSessionModel, TestSessionRow } from './session-model.js';

/** How long one analysis may take, in ms; its lease is a little longer. */
const ANALYSIS_LIMIT_MS = 60_000;
const ANALYSIS_LEASE_MS = 75_000;

export type ResultOutcome =
  | { readonly kind: 'ready'; readonly result: TestSessionResult }
  | { readonly kind: 'pending'; readonly status: 'in_progress' | 'analyzing' };

export interface TestResultsOptions {
  readonly sessions: TestSessionModel;
  readonly agentOf: (row: TestSessionRow) => AgentSnapshot;
  readonly calls: Pick<CallsService, 'detail' | 'require'>;
  readonly model: StructuredLanguageModel;
  readonly charge: (scope: TenantScope, used: TextSessionUsage) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const NOTHING = {
  outcome: null,
  outcome_score: null,
  summary: null,
  sentiment: null,
  scorecard: null,
  extracted_data: null,
} as const;

/** What a test session came to. A text session is analysed when its result is first asked for. */
export class TestResults {
  readonly #options: TestResultsOptions;
  readonly #background: BackgroundWork;

  constructor(options: TestResultsOptions) {
    this.#options = options;
    this.#background = new BackgroundWork(options.log);
  }

  /** Throws 404 `test_session_not_found`. */
  async result(scope: TenantScope, id: string): Promise<ResultOutcome> {
    const { sessions, clock } = this.#options;
    const row = await sessions.findOne({ _id: id, ...ownedBy(scope) }).lean<TestSessionRow>();
    if (!row || row.expires_at.getTime() <= clock.now()) throw apiError('test_session_not_found');
    return row.kind === 'text' ? this.#ofText(row) : this.#ofVoice(scope, row);
  }

  /** Waits for analyses that are under way. */
  settled(): Promise<void> {
    return this.#background.settled();
  }

  async #ofText(row: TestSessionRow): Promise<ResultOutcome> {
    if (row.turns === 0) return { kind: 'pending', status: 'in_progress' };
    if (row.analysis === null || row.analysed_turns !== row.turns) {
      await this.#startAnalysis(row);
      return { kind: 'pending', status: 'analyzing' };
    }
    return {
      kind: 'ready',
      result: {
        ...common(row),
        call_id: null,
        ended: row.ended_at !== null,
        turns: row.turns,
        transcript: JSON.parse(row.transcript) as TestSessionResult['transcript'],
        tool_executions: JSON.parse(row.tool_executions) as TestSessionResult['tool_executions'],
        analysis: JSON.parse(row.analysis) as CallAnalysis,
        recording_url: null,
        ended_at: row.ended_at?.toISOString() ?? null,
      },
    };
  }

  async #ofVoice(scope: TenantScope, row: TestSessionRow): Promise<ResultOutcome> {
    const { calls } = this.#options;
    const stored = await calls.require(scope, row._id);
    if (!isTerminal(stored.status)) return { kind: 'pending', status: 'in_progress' };
    // A result without its recording would be taken for a session that had none.
    const settled = stored.started_at === null || isRecordingSettled(stored);
    const call = await calls.detail(scope, row._id);
    // Every call that had a conversation gets an analysis, be it failed or skipped.
    const analysed = call.analysis !== null || call.started_at === null;
    if (!settled || !analysed) return { kind: 'pending', status: 'analyzing' };
    return {
      kind: 'ready',
      result: {
        ...common(row),
        call_id: call.id,
        ended: true,
        turns: call.transcript.filter(({ role }) => role === 'caller').length,
        transcript: call.transcript,
        tool_executions: call.tool_executions,
        analysis: call.analysis,
        recording_url: call.recording_url,
        ended_at: call.ended_at,
      },
    };
  }

  /** Starts the analysis, one at a time; when its replica dies, its lease ends and the next request starts another. */
  async #startAnalysis(row: TestSessionRow): Promise<void> {
    const { sessions, clock } = this.#options;
    const now = clock.now();
    const until = new Date(now + ANALYSIS_LEASE_MS);
    const claimed = await sessions.updateOne(
      { _id: row._id, tenant_id: row.tenant_id, analysis_lease_until: { $lte: new Date(now) } },
      { $set: { analysis_lease_until: until } },
    );
    if (claimed.matchedCount === 0) return;
    this.#background.run('analyse a test session', async () => {
      const analysis = await this.#analyse(row);
      await sessions.updateOne(
        { _id: row._id, tenant_id: row.tenant_id, analysis_lease_until: until },
        {
          $set: {
            analysis: JSON.stringify(analysis),
            analysed_turns: row.turns,
            analysis_lease_until: new Date(0),
          },
        },
      );
    });
  }

  async #analyse(row: TestSessionRow): Promise<CallAnalysis> {
    const { agentOf, model, charge, clock } = this.#options;
    const settings = JSON.parse(row.analysis_settings) as AnalysisSettings;
    if (!settings.enabled) {
      const error_message = 'The agent has its calls not analysed.';
      return { ...NOTHING, status: 'skipped', error_code: 'analysis_disabled', error_message };
    }
    try {
      const agent = agentOf(row);
      const question = analysisQuestion(
        {
          agentName: agent.name,
          systemPrompt: agent.system_prompt,
          endReason: row.ended_at ? 'agent_hangup' : null,
          durationMs: (row.ended_at?.getTime() ?? clock.now()) - row.created_at.getTime(),
          transcript: JSON.parse(row.transcript) as TestSessionResult['transcript'],
        },
        settings,
        null,
      );
      const choice = modelOfAgent(scopeOf(row).tenant, agent);
      const answer = await model.answer(
        { ...question, choice, purpose: 'analysis' },
        AbortSignal.timeout(ANALYSIS_LIMIT_MS),
      );
      const { value, inputTokens, outputTokens } = answer;
      const id = derivedId(row._id, `analysis:${row.turns}`);
      const tokens = { model: answer.model ?? choice.model, inputTokens, outputTokens };
      await charge(scopeOf(row), { id, agent, tokens });
      return {
        status: 'complete',
        outcome: value.outcome,
        outcome_score: scoreOf(value, settings.scorecard),
        summary: value.summary,
        sentiment: value.sentiment,
        scorecard: value.scorecard ?? null,
        extracted_data: value.extracted_data ?? null,
        error_code: null,
        error_message: null,
      };
    } catch (error) {
      const known = error instanceof ServiceError;
      return {
        ...NOTHING,
        status: 'failed',
        error_code: known ? error.code : 'internal_error',
        error_message: known ? error.message : 'A fault of the service.',
      };
    }
  }
}

function common(row: TestSessionRow) {
  return {
    session_id: row._id,
    agent_id: row.agent_id,
    kind: row.kind,
    created_at: row.created_at.toISOString(),
  };
}
