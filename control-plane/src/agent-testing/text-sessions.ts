import type { HttpTool } from '@voice/shared/agent-tools/http-tool';
import type { Clock } from '@voice/shared/clock/clock';
import { type AgentSnapshot, agentSnapshot } from '@voice/shared/contracts/agent';
import type { ToolExecution, TranscriptTurn } from '@voice/shared/contracts/call-events';
import { ServiceError } from '@voice/shared/errors/service-error';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { LlmMessage, LlmToolCall } from '@voice/shared/local-mind/conversation';
import type { Log } from '@voice/shared/log/log';
import type { AgentDirectory } from '../calls/agent-directory.js';
import { renderVariables } from '../calls/variables.js';
import { apiError } from '../http/error-codes.js';
import { withIntegrationTools } from '../integrations/agent-tools.js';
import type { ConversationModel } from '../language-model/conversation.js';
import { chatChoiceOf } from '../language-model/language-models.js';
import type { SecretBox } from '../secrets/secret-box.js';
import type { TextTestMessage } from './schemas.js';
import { SESSION_LIFE_MS, type TestSessionModel, type TestSessionRow } from './session-model.js';
import { argumentsOf, describedTools, runTool, type TryIntegration } from './text-tools.js';

/** The longest that one turn may take, tools included, in ms; its lease is a little longer. */
const TURN_LIMIT_MS = 120_000;
const TURN_LEASE_MS = 130_000;
/** How often the model may call tools before it must have answered. */
const TOOL_ROUNDS = 6;
/** A session's conversation, in turns of the caller: a model's window ends, too. */
const TURNS_LIMIT = 200;

/** What a turn tells while it goes on. */
export type TextTestEvent =
  | { readonly event: 'session'; readonly data: { session_id: string; agent_id: string } }
  | { readonly event: 'message'; readonly data: { role: 'agent'; text: string } }
  | { readonly event: 'delta'; readonly data: { text: string } }
  | { readonly event: 'tool_call'; readonly data: { id: string; name: string; arguments: unknown } }
  | {
      readonly event: 'tool_result';
      readonly data: { id: string; name: string; status: ToolExecution['status']; result: string };
    }
  | { readonly event: 'usage'; readonly data: { input_tokens: number; output_tokens: number } }
  | { readonly event: 'error'; readonly data: { code: string; detail: string } }
  | { readonly event: 'done'; readonly data: { session_id: string; turn: number; ended: boolean } };

export interface TextSessionsOptions {
  readonly sessions: TestSessionModel;
  readonly agents: AgentDirectory;
  readonly model: ConversationModel;
  readonly http: HttpTool;
  readonly integrations: (tenant: TenantId) => TryIntegration;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly log: Log;
}

/** A turn that has been admitted: the session is this request's until the turn is over. */
export interface AdmittedTurn {
  readonly sessionId: string;
  /** Answers it; what happens on the way goes to `tell`. Never throws: a failure is told as `error`. */
  run(tell: (event: TextTestEvent) => void, signal: AbortSignal): Promise<void>;
}

interface Conversation {
  readonly tenant: TenantId;
  readonly messages: LlmMessage[];
  readonly transcript: TranscriptTurn[];
  readonly toolExecutions: ToolExecution[];
}

const purpose = (row: Pick<TestSessionRow, '_id' | 'tenant_id'>, what: string) =>
  `tenants/${row.tenant_id}/test-sessions/${row._id}/${what}`;

/** Conversations in text with an agent: its model, prompt and tools, without a phone line. */
export class TextSessions {
  readonly #options: TextSessionsOptions;

  constructor(options: TextSessionsOptions) {
    this.#options = options;
  }

  /** Begins a session or continues one. Throws 404 and 409 before anything is streamed. */
  async admit(
    tenant: TenantId,
    agentId: string,
    request: TextTestMessage,
    { newId, sandbox }: { newId: string; sandbox: boolean },
  ): Promise<AdmittedTurn> {
    const row = request.session_id
      ? await this.#resume(tenant, agentId, request.session_id)
      : await this.#begin(tenant, agentId, request, { newId, sandbox });
    return {
      sessionId: row._id,
      run: (tell, signal) => this.#run(row, request.message, tell, signal),
    };
  }

  /** The agent as the session has it. */
  agentOf(row: TestSessionRow): AgentSnapshot {
    return agentSnapshot.parse(
      JSON.parse(this.#options.secrets.open(purpose(row, 'agent'), row.agent_snapshot)),
    );
  }

  async #begin(
    tenant: TenantId,
    agentId: string,
    { variables }: TextTestMessage,
    { newId, sandbox }: { newId: string; sandbox: boolean },
  ): Promise<TestSessionRow> {
    const { agents, sessions, secrets, clock } = this.#options;
    const { snapshot, disclosure, isActive, analysis } = await agents.snapshot(tenant, agentId);
    if (!isActive) throw apiError('agent_inactive');
    const agent: AgentSnapshot = {
      ...snapshot,
      system_prompt: renderVariables(snapshot.system_prompt, variables),
      first_message: renderVariables(snapshot.first_message, variables),
    };
    const opening = [disclosure && renderVariables(disclosure, variables), agent.first_message]
      .filter(Boolean)
      .join(' ');
    const now = clock.now();
    const key = { _id: newId, tenant_id: tenant };
    const messages: LlmMessage[] = [{ role: 'system', content: agent.system_prompt }];
    const transcript: TranscriptTurn[] = [];
    if (opening !== '') {
      messages.push({ role: 'assistant', content: opening });
      transcript.push(turn(0, 'agent', opening, 0));
    }
    const row: TestSessionRow = {
      ...key,
      agent_id: agentId,
      kind: 'text',
      sandbox,
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
    await sessions.insertMany([row]);
    return row;
  }

  async #resume(tenant: TenantId, agentId: string, id: string): Promise<TestSessionRow> {
    const { sessions, clock } = this.#options;
    const now = clock.now();
    const mine = { _id: id, tenant_id: tenant, agent_id: agentId, kind: 'text' as const };
    const claimed = await sessions
      .findOneAndUpdate(
        {
          ...mine,
          ended_at: null,
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
    if (found.ended_at || found.turns >= TURNS_LIMIT) throw apiError('test_session_ended');
    throw apiError('test_session_busy', undefined, { retryable: true, retryAfterSeconds: 1 });
  }

  async #run(
    row: TestSessionRow,
    said: string,
    tell: (event: TextTestEvent) => void,
    gone: AbortSignal,
  ): Promise<void> {
    const { secrets, clock, log } = this.#options;
    const began = row.created_at.getTime();
    const agent = withIntegrationTools(this.agentOf(row));
    const conversation: Conversation = {
      tenant: asTenantId(row.tenant_id),
      messages: JSON.parse(secrets.open(purpose(row, 'messages'), row.messages)) as LlmMessage[],
      transcript: JSON.parse(row.transcript) as TranscriptTurn[],
      toolExecutions: JSON.parse(row.tool_executions) as ToolExecution[],
    };
    tell({ event: 'session', data: { session_id: row._id, agent_id: row.agent_id } });
    const opening = conversation.transcript[0];
    if (row.turns === 0 && opening) tell({ event: 'message', data: { role: 'agent', text: opening.text } });
    conversation.messages.push({ role: 'user', content: said });
    conversation.transcript.push(turn(conversation.transcript.length, 'caller', said, clock.now() - began));
    try {
      const signal = AbortSignal.any([gone, AbortSignal.timeout(TURN_LIMIT_MS)]);
      const ended = await this.#answer(conversation, agent, began, tell, signal);
      await this.#keep(row, conversation, ended);
      tell({ event: 'done', data: { session_id: row._id, turn: row.turns + 1, ended } });
    } catch (error) {
      // The turn is as if it had not been: it can be sent again.
      await this.#release(row);
      if (gone.aborted) return;
      const known = error instanceof ServiceError;
      log.warn({ session_id: row._id, err: error }, 'a turn of a text test failed');
      const detail = known ? error.message : 'A fault of the service.';
      tell({ event: 'error', data: { code: known ? error.code : 'internal_error', detail } });
    }
  }

  /** Lets the model speak and act until it waits for the caller; whether the conversation is over. */
  async #answer(
    conversation: Conversation,
    agent: AgentSnapshot,
    began: number,
    tell: (event: TextTestEvent) => void,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { model, clock } = this.#options;
    const { messages, transcript } = conversation;
    for (let round = 0; round < TOOL_ROUNDS; round++) {
      const startedAt = clock.now() - began;
      let text = '';
      const toolCalls: LlmToolCall[] = [];
      const request = { choice: chatChoiceOf(agent.voice_config), messages, tools: describedTools(agent) };
      for await (const event of model.converse(request, signal)) {
        if (event.type === 'text') {
          text += event.delta;
          tell({ event: 'delta', data: { text: event.delta } });
        } else if (event.type === 'tool_call') {
          toolCalls.push(event.call);
        } else {
          const { inputTokens, outputTokens } = event;
          tell({ event: 'usage', data: { input_tokens: inputTokens, output_tokens: outputTokens } });
        }
      }
      messages.push({
        role: 'assistant',
        content: text,
        ...(toolCalls.length === 0 ? {} : { toolCalls }),
      });
      if (text !== '') {
        transcript.push(turn(transcript.length, 'agent', text, startedAt, clock.now() - began));
        tell({ event: 'message', data: { role: 'agent', text } });
      }
      if (toolCalls.length === 0) return false;
      if (await this.#runTools(toolCalls, conversation, agent, began, tell, signal)) return true;
    }
    return false;
  }

  async #runTools(
    toolCalls: readonly LlmToolCall[],
    { tenant, messages, toolExecutions }: Conversation,
    agent: AgentSnapshot,
    began: number,
    tell: (event: TextTestEvent) => void,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock, http, integrations } = this.#options;
    const tools = { http, integration: integrations(tenant) };
    let ended = false;
    for (const call of toolCalls) {
      const startedAt = clock.now() - began;
      const args = argumentsOf(call.arguments) ?? call.arguments;
      tell({ event: 'tool_call', data: { id: call.id, name: call.name, arguments: args } });
      const { status, result, ends } = await runTool(call, agent, tools, signal);
      signal.throwIfAborted();
      tell({ event: 'tool_result', data: { id: call.id, name: call.name, status, result } });
      messages.push({ role: 'tool', toolCallId: call.id, content: result });
      toolExecutions.push({
        tool_call_id: call.id,
        name: call.name,
        arguments: args,
        result,
        status,
        started_at_ms: startedAt,
        ended_at_ms: clock.now() - began,
      });
      ended ||= ends;
    }
    return ended;
  }

  async #keep(
    row: TestSessionRow,
    { messages, transcript, toolExecutions }: Conversation,
    ended: boolean,
  ): Promise<void> {
    const { sessions, secrets, clock } = this.#options;
    const now = clock.now();
    await sessions.updateOne(
      // Whoever took the session over, when this turn was late, has the word.
      { _id: row._id, tenant_id: row.tenant_id, turns: row.turns, turn_lease_until: row.turn_lease_until },
      {
        $set: {
          messages: secrets.seal(purpose(row, 'messages'), JSON.stringify(messages)),
          transcript: JSON.stringify(transcript),
          tool_executions: JSON.stringify(toolExecutions),
          turns: row.turns + 1,
          ended_at: ended ? new Date(now) : null,
          turn_lease_until: new Date(0),
          expires_at: new Date(now + SESSION_LIFE_MS),
        },
      },
    );
  }

  async #release(row: TestSessionRow): Promise<void> {
    await this.#options.sessions.updateOne(
      { _id: row._id, tenant_id: row.tenant_id, turn_lease_until: row.turn_lease_until },
      { $set: { turn_lease_until: new Date(0) } },
    );
  }
}

function turn(
  index: number,
  role: 'agent' | 'caller',
  text: string,
  startedAt: number,
  endedAt = startedAt,
): TranscriptTurn {
  return {
    index,
    role,
    text,
    heard_text: text,
    interrupted: false,
    started_at_ms: startedAt,
    ended_at_ms: endedAt,
    confidence: null,
  };
}
