import type { HttpTool } from '@voice/shared/agent-tools/http-tool';
import type { OpenMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import type { Clock } from '@voice/shared/clock/clock';
import { type AgentSnapshot, agentSnapshot } from '@voice/shared/contracts/agent';
import type { ToolExecution, TranscriptTurn } from '@voice/shared/contracts/call-events';
import { ServiceError } from '@voice/shared/errors/service-error';
import { asTenantId, derivedId } from '@voice/shared/ids/ids';
import type { LlmMessage } from '@voice/shared/local-mind/conversation';
import type { Log } from '@voice/shared/log/log';
import { requireRunnableChoice } from '../agents/runnable.js';
import type { TextSessionUsage } from '../billing/text-session-charges.js';
import type { AgentDirectory } from '../calls/plan/agent-directory.js';
import { renderVariables } from '../calls/plan/variables.js';
import type { Config } from '../config.js';
import { withIntegrationTools } from '../integrations/agent-tools.js';
import type { ConversationModel } from '../language-model/conversation.js';
import { chatChoiceOf } from '../language-model/language-models.js';
import { apiError } from '../platform/http/error-codes.js';
import { isDuplicateKey } from '../platform/http/errors.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { ownedBy, scopeOf, type TenantScope } from '../platform/store/tenant-scope.js';
import type { TextTestMessage } from './schemas.js';
import { SESSION_LIFE_MS, type TestSessionModel, type TestSessionRow } from './session-model.js';
import type { TryIntegration } from './text-tools.js';
import {
  answerTurn,
  type Conversation,
  type EmitEvent,
  type TextTestEvent,
  transcriptEntry,
} from './text-turn.js';

/** The longest that one turn may take, tools included, in ms; its lease is a little longer. */
const TURN_LIMIT_MS = 120_000;
const TURN_LEASE_MS = 130_000;
/** A session's conversation, in turns of the caller: a model's window ends, too. */
const TURNS_LIMIT = 200;

export interface TextSessionsOptions {
  readonly sessions: TestSessionModel;
  readonly agents: AgentDirectory;
  readonly model: ConversationModel;
  readonly http: HttpTool;
  readonly integrations: (scope: TenantScope) => TryIntegration;
  readonly openMcpTools: OpenMcpTools;
  /** Refuses with 402 when the tenant may not spend any more. */
  readonly admitSpending: (scope: TenantScope) => Promise<void>;
  readonly charge: (scope: TenantScope, used: TextSessionUsage) => Promise<void>;
  /** Which accounts there are. */
  readonly vendors: Config['vendors'];
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly log: Log;
}

/** The request that a turn answers. */
export interface TurnRequest {
  /** Of a new session. The same whenever the request is repeated. */
  readonly id: string;
  /** Whether the request may come again, by its Idempotency-Key. */
  readonly repeatable: boolean;
}

/** A turn that has been admitted: the session is this request's until the turn is over. */
export interface AdmittedTurn {
  readonly sessionId: string;
  /**
   * Answers it; what happens on the way goes to `emit`. Never throws: a failure is emitted as `error`, and then, or
   * when `gone` aborts, the turn is undone: as if it had not been.
   */
  run(emit: EmitEvent, gone: AbortSignal): Promise<'done' | 'undone'>;
}

const purpose = (row: Pick<TestSessionRow, '_id' | 'tenant_id'>, what: string) =>
  `tenants/${row.tenant_id}/test-sessions/${row._id}/${what}`;

/** Conversations in text with an agent: its model, prompt and tools, without a phone line. */
export class TextSessions {
  readonly #options: TextSessionsOptions;
  readonly #running = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(options: TextSessionsOptions) {
    this.#options = options;
  }

  /** Begins a session or continues one. Throws 402, 404 and 409 before anything is streamed. */
  async admit(
    scope: TenantScope,
    agentId: string,
    message: TextTestMessage,
    request: TurnRequest,
  ): Promise<AdmittedTurn> {
    await this.#options.admitSpending(scope);
    const row = message.session_id
      ? await this.#resume(scope, agentId, message.session_id, request)
      : await this.#begin(scope, agentId, message, request);
    return {
      sessionId: row._id,
      run: async (emit, gone) => {
        if (row.last_request === request.id) return this.#replay(row, emit);
        const running = this.#run(row, message.message, request, emit, gone);
        this.#running.add(running);
        return running.finally(() => this.#running.delete(running));
      },
    };
  }

  /** Undoes the turns that are under way: those whose clients wait, and those whose clients may come again. */
  async stop(): Promise<void> {
    this.#stopping.abort(apiError('draining'));
    await Promise.allSettled(this.#running);
  }

  /** The agent as the session has it. */
  agentOf(row: TestSessionRow): AgentSnapshot {
    return agentSnapshot.parse(
      JSON.parse(this.#options.secrets.open(purpose(row, 'agent'), row.agent_snapshot)),
    );
  }

  async #begin(
    scope: TenantScope,
    agentId: string,
    { variables }: TextTestMessage,
    request: TurnRequest,
  ): Promise<TestSessionRow> {
    const { agents, sessions, vendors, secrets, clock } = this.#options;
    const { snapshot, disclosure, isActive, analysis } = await agents.snapshot(scope.tenant, agentId);
    if (!isActive) throw apiError('agent_inactive');
    const { voice_config: voice } = snapshot;
    requireRunnableChoice('realtime' in voice ? 'realtime' : 'llm', chatChoiceOf(voice), vendors);
    const agent: AgentSnapshot = {
      ...snapshot,
      system_prompt: renderVariables(snapshot.system_prompt, variables),
      first_message: renderVariables(snapshot.first_message, variables),
    };
    const opening = [disclosure && renderVariables(disclosure, variables), agent.first_message]
      .filter(Boolean)
      .join(' ');
    const now = clock.now();
    const key = { _id: request.id, ...ownedBy(scope) };
    const messages: LlmMessage[] = [{ role: 'system', content: agent.system_prompt }];
    const transcript: TranscriptTurn[] = [];
    if (opening !== '') {
      messages.push({ role: 'assistant', content: opening });
      transcript.push(transcriptEntry(0, 'agent', opening, 0));
    }
    const row: TestSessionRow = {
      ...key,
      agent_id: agentId,
      kind: 'text',
      agent_snapshot: secrets.seal(purpose(key, 'agent'), JSON.stringify(agent)),
      analysis_settings: JSON.stringify(analysis),
      messages: secrets.seal(purpose(key, 'messages'), JSON.stringify(messages)),
      transcript: JSON.stringify(transcript),
      tool_executions: '[]',
      turns: 0,
      ended_at: null,
      turn_lease_until: new Date(now + TURN_LEASE_MS),
      analysis: null,
      analysed_turns: 0,
      analysis_lease_until: new Date(0),
      created_at: new Date(now),
      expires_at: new Date(now + SESSION_LIFE_MS),
    };
    try {
      await sessions.insertMany([row]);
      return row;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // The request was begun before, and broken off.
      return this.#resume(scope, agentId, request.id, request);
    }
  }

  /** The session for a turn; with `last_request` that of `request` when the turn is there already. */
  async #resume(
    scope: TenantScope,
    agentId: string,
    id: string,
    request: TurnRequest,
  ): Promise<TestSessionRow> {
    const { sessions, clock } = this.#options;
    const now = clock.now();
    const mine = { _id: id, ...ownedBy(scope), agent_id: agentId, kind: 'text' as const };
    const claimed = await sessions
      .findOneAndUpdate(
        {
          ...mine,
          ended_at: null,
          last_request: { $ne: request.id },
          turns: { $lt: TURNS_LIMIT },
          turn_lease_until: { $lte: new Date(now) },
          expires_at: { $gt: new Date(now) },
        },
        { $set: { turn_lease_until: new Date(now + TURN_LEASE_MS) } },
        { returnDocument: 'after' },
      )
      .lean<TestSessionRow>();
    if (claimed) return claimed;
    const found = await sessions.findOne(mine).lean<TestSessionRow>();
    if (!found || found.expires_at.getTime() <= now) throw apiError('test_session_not_found');
    if (found.last_request === request.id) return found;
    if (found.ended_at || found.turns >= TURNS_LIMIT) throw apiError('test_session_ended');
    throw apiError('test_session_busy', undefined, { retryable: true, retryAfterSeconds: 1 });
  }

  async #run(
    row: TestSessionRow,
    said: string,
    request: TurnRequest,
    emitToClient: EmitEvent,
    gone: AbortSignal,
  ): Promise<'done' | 'undone'> {
    const { model, http, integrations, openMcpTools, secrets, clock, log } = this.#options;
    const began = row.created_at.getTime();
    const agent = withIntegrationTools(this.agentOf(row), clock.now());
    const conversation: Conversation = {
      tenant: asTenantId(row.tenant_id),
      messages: JSON.parse(secrets.open(purpose(row, 'messages'), row.messages)) as LlmMessage[],
      transcript: JSON.parse(row.transcript) as TranscriptTurn[],
      toolExecutions: JSON.parse(row.tool_executions) as ToolExecution[],
    };
    const emitted: TextTestEvent[] = [];
    const tokens = { model: chatChoiceOf(agent.voice_config).model, inputTokens: 0, outputTokens: 0 };
    const emit: EmitEvent = (event) => {
      emitted.push(event);
      if (event.event === 'usage') {
        tokens.inputTokens += event.data.input_tokens;
        tokens.outputTokens += event.data.output_tokens;
      }
      emitToClient(event);
    };
    const mcp = openMcpTools(agent, ({ code, message }) => {
      log.warn({ session_id: row._id, reason: code }, message);
      emit({ event: 'notice', data: { code, message } });
    });
    try {
      emit({ event: 'session', data: { session_id: row._id, agent_id: row.agent_id } });
      const opening = conversation.transcript[0];
      if (row.turns === 0 && opening) emit({ event: 'message', data: { role: 'agent', text: opening.text } });
      conversation.messages.push({ role: 'user', content: said });
      conversation.transcript.push(
        transcriptEntry(conversation.transcript.length, 'caller', said, clock.now() - began),
      );
      const stopping = this.#stopping.signal;
      const signal = AbortSignal.any([gone, stopping, AbortSignal.timeout(TURN_LIMIT_MS)]);
      const tools = { http, integration: integrations(scopeOf(row)), mcp };
      mcp.begin();
      await mcp.ready;
      const ended = await answerTurn({ conversation, agent, began, model, tools, clock }, emit, signal);
      const done: TextTestEvent = {
        event: 'done',
        data: { session_id: row._id, turn: row.turns + 1, ended },
      };
      await this.#keep(row, conversation, ended, request, [...emitted, done]);
      emitToClient(done);
      return 'done';
    } catch (failure) {
      // The turn is as if it had not been: it can be sent again.
      await this.#release(row);
      if (gone.aborted) return 'undone';
      const error = this.#stopping.signal.aborted ? this.#stopping.signal.reason : failure;
      const known = error instanceof ServiceError;
      log.warn({ session_id: row._id, err: error }, 'a turn of a text test failed');
      const detail = known ? error.message : 'A fault of the service.';
      emitToClient({ event: 'error', data: { code: known ? error.code : 'internal_error', detail } });
      return 'undone';
    } finally {
      mcp.close();
      // Also of a turn that is undone: the model has answered. Each try of a turn has a lease of its own.
      const id = derivedId(row._id, `turn:${row.turns}:${row.turn_lease_until.getTime()}`);
      await this.#charge(row, { id, agent, tokens });
    }
  }

  /** A turn stands though its charge fails; that is logged for the operator. */
  async #charge(row: TestSessionRow, used: TextSessionUsage): Promise<void> {
    const { charge, log } = this.#options;
    await charge(scopeOf(row), used).catch((err: unknown) =>
      log.error({ session_id: row._id, err }, 'a turn of a text test was not charged'),
    );
  }

  /** Emits again what was emitted in the turn that is there already. */
  #replay(row: TestSessionRow, emit: EmitEvent): 'done' {
    const text = this.#options.secrets.open(purpose(row, 'told'), row.last_told ?? '');
    for (const event of JSON.parse(text) as TextTestEvent[]) emit(event);
    return 'done';
  }

  async #keep(
    row: TestSessionRow,
    { messages, transcript, toolExecutions }: Conversation,
    ended: boolean,
    request: TurnRequest,
    emitted: readonly TextTestEvent[],
  ): Promise<void> {
    const { sessions, secrets, clock } = this.#options;
    const now = clock.now();
    const kept = await sessions.updateOne(
      // Matches nothing when another request took the session over because this turn was late.
      { _id: row._id, tenant_id: row.tenant_id, turns: row.turns, turn_lease_until: row.turn_lease_until },
      {
        $set: {
          messages: secrets.seal(purpose(row, 'messages'), JSON.stringify(messages)),
          transcript: JSON.stringify(transcript),
          tool_executions: JSON.stringify(toolExecutions),
          turns: row.turns + 1,
          last_request: request.repeatable ? request.id : null,
          last_told: request.repeatable ? secrets.seal(purpose(row, 'told'), JSON.stringify(emitted)) : null,
          ended_at: ended ? new Date(now) : null,
          turn_lease_until: new Date(0),
          expires_at: new Date(now + SESSION_LIFE_MS),
        },
      },
    );
    if (kept.matchedCount === 0) throw apiError('conflict');
  }

  async #release(row: TestSessionRow): Promise<void> {
    await this.#options.sessions.updateOne(
      { _id: row._id, tenant_id: row.tenant_id, turn_lease_until: row.turn_lease_until },
      { $set: { turn_lease_until: new Date(0) } },
    );
  }
}
