import { withJoinedSignal } from '@voice/shared/abort/with-joined-signal';
import type { HttpTool } from '@voice/shared/agent-tools/http-tool';
import type { OpenMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { ToolExecution, TranscriptTurn } from '@voice/shared/contracts/call-events';
import { ServiceError } from '@voice/shared/errors/service-error';
import { asTenantId, derivedId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { TextSessionUsage } from '../billing/text-session-charges.js';
import { withIntegrationTools } from '../integrations/agent-tools.js';
import type { ConversationModel } from '../language-model/conversation.js';
import { chatChoiceOf } from '../language-model/language-models.js';
import { apiError } from '../platform/http/error-codes.js';
import { scopeOf, type TenantScope } from '../platform/store/tenant-scope.js';
import type { TextTestMessage } from './schemas.js';
import type { TestSessionRow } from './session-model.js';
import { TextSessionRows, type TextSessionRowsOptions, type TurnRequest } from './text-session-rows.js';
import type { TryIntegration } from './text-tools.js';
import {
  answerTurn,
  type Conversation,
  type EmitEvent,
  type TextTestEvent,
  transcriptEntry,
} from './text-turn.js';

/** The longest that one turn may take, tools included, in ms; its lease (`TURN_LEASE_MS`) is a little longer. */
const TURN_LIMIT_MS = 120_000;

export interface TextSessionsOptions extends TextSessionRowsOptions {
  readonly model: ConversationModel;
  readonly http: HttpTool;
  readonly integrations: (scope: TenantScope) => TryIntegration;
  readonly openMcpTools: OpenMcpTools;
  /** Refuses with 402 when the tenant may not spend any more. */
  readonly admitSpending: (scope: TenantScope) => Promise<void>;
  readonly charge: (scope: TenantScope, used: TextSessionUsage) => Promise<void>;
  readonly log: Log;
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

/** Conversations in text with an agent: its model, prompt and tools, without a phone line. */
export class TextSessions {
  readonly #options: TextSessionsOptions;
  readonly #rows: TextSessionRows;
  readonly #running = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(options: TextSessionsOptions) {
    this.#options = options;
    this.#rows = new TextSessionRows(options);
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
      ? await this.#rows.resume(scope, agentId, message.session_id, request)
      : await this.#rows.begin(scope, agentId, message, request);
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

  /** Returns the agent as the session has it. */
  agentOf(row: TestSessionRow): AgentSnapshot {
    return this.#rows.agentOf(row);
  }

  async #run(
    row: TestSessionRow,
    said: string,
    request: TurnRequest,
    emitToClient: EmitEvent,
    gone: AbortSignal,
  ): Promise<'done' | 'undone'> {
    const { model, http, integrations, openMcpTools, clock, log } = this.#options;
    const began = row.created_at.getTime();
    const agent = withIntegrationTools(this.#rows.agentOf(row), clock.now());
    const conversation: Conversation = {
      tenant: asTenantId(row.tenant_id),
      messages: this.#rows.messagesOf(row),
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
      const tools = { http, integration: integrations(scopeOf(row)), mcp };
      mcp.begin();
      await mcp.ready;
      const turn = { conversation, agent, began, model, tools, clock };
      const ended = await withJoinedSignal(
        { signals: [gone, this.#stopping.signal], timeoutMs: TURN_LIMIT_MS },
        (signal) => answerTurn(turn, emit, signal),
      );
      const done: TextTestEvent = {
        event: 'done',
        data: { session_id: row._id, turn: row.turns + 1, ended },
      };
      await this.#rows.keep(row, conversation, ended, request, [...emitted, done]);
      emitToClient(done);
      return 'done';
    } catch (failure) {
      // The turn is as if it had not been: it can be sent again.
      await this.#rows.release(row);
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

  /** Charges a turn. It stands though its charge fails; that is logged for the operator. */
  async #charge(row: TestSessionRow, used: TextSessionUsage): Promise<void> {
    const { charge, log } = this.#options;
    await charge(scopeOf(row), used).catch((err: unknown) =>
      log.error({ session_id: row._id, err }, 'a turn of a text test was not charged'),
    );
  }

  /** Emits again what was emitted in the turn that is there already. */
  #replay(row: TestSessionRow, emit: EmitEvent): 'done' {
    for (const event of this.#rows.lastTurnEvents(row)) emit(event);
    return 'done';
  }
}
