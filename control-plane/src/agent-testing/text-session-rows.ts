import type { Clock } from '@voice/shared/clock/clock';
import { type AgentSnapshot, agentSnapshot } from '@voice/shared/contracts/agent';
import type { TranscriptTurn } from '@voice/shared/contracts/call-events';
import type { LlmMessage } from '@voice/shared/language-model/conversation';
import { requireRunnableChoice } from '../agents/runnable.js';
import type { AgentDirectory } from '../calls/plan/agent-directory.js';
import { renderVariables } from '../calls/plan/variables.js';
import type { Config } from '../config.js';
import { chatChoiceOf } from '../language-model/language-models.js';
import { apiError } from '../platform/http/error-codes.js';
import { isDuplicateKey } from '../platform/http/errors.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import type { TextTestMessage } from './schemas.js';
import {
  LAST_TURN_EVENTS,
  SESSION_LIFE_MS,
  type TestSessionModel,
  type TestSessionRow,
} from './session-model.js';
import { type Conversation, type TextTestEvent, transcriptEntry } from './text-turn.js';

/** For how long a session is one turn's, in ms. */
const TURN_LEASE_MS = 130_000;
/** A session's conversation, in turns of the caller: a model's window ends, too. */
const TURNS_LIMIT = 200;

export interface TextSessionRowsOptions {
  readonly sessions: TestSessionModel;
  readonly agents: AgentDirectory;
  /** Which accounts there are. */
  readonly vendors: Config['vendors'];
  readonly secrets: SecretBox;
  readonly clock: Clock;
}

/** The request that a turn answers. */
export interface TurnRequest {
  /** Of a new session. The same whenever the request is repeated. */
  readonly id: string;
  /** Whether the request may come again, by its Idempotency-Key. */
  readonly repeatable: boolean;
}

const purpose = (row: Pick<TestSessionRow, '_id' | 'tenant_id'>, what: string) =>
  `tenants/${row.tenant_id}/test-sessions/${row._id}/${what}`;

/** Part of the purpose that a turn's events are sealed for: changed, those that are stored could not be opened. */
const EVENTS_PURPOSE = 'told';

/** The stored sessions in text: each is one turn's at a time, by a lease. */
export class TextSessionRows {
  readonly #options: TextSessionRowsOptions;

  constructor(options: TextSessionRowsOptions) {
    this.#options = options;
  }

  /** Returns the agent as the session has it. */
  agentOf(row: TestSessionRow): AgentSnapshot {
    return agentSnapshot.parse(
      JSON.parse(this.#options.secrets.open(purpose(row, 'agent'), row.agent_snapshot)),
    );
  }

  /** Returns the conversation as the model sees it. */
  messagesOf(row: TestSessionRow): LlmMessage[] {
    const text = this.#options.secrets.open(purpose(row, 'messages'), row.messages);
    return JSON.parse(text) as LlmMessage[];
  }

  /** Returns the events of the last turn, which a repeated request gets again. */
  lastTurnEvents(row: TestSessionRow): TextTestEvent[] {
    const text = this.#options.secrets.open(purpose(row, EVENTS_PURPOSE), row[LAST_TURN_EVENTS] ?? '');
    return JSON.parse(text) as TextTestEvent[];
  }

  /** Stores a new session for its first turn; the one that is there when the request comes again. Throws 404 and 409. */
  async begin(
    scope: TenantScope,
    agentId: string,
    { variables }: TextTestMessage,
    request: TurnRequest,
  ): Promise<TestSessionRow> {
    const { agents, sessions, vendors, secrets, clock } = this.#options;
    const { snapshot, disclosure, isActive, analysis } = await agents.snapshot(scope.tenant, agentId);
    if (!isActive) throw apiError('agent_inactive');
    const { voice_config: voice } = snapshot;
    requireRunnableChoice(
      'realtime' in voice ? 'realtime' : 'llm',
      chatChoiceOf(voice),
      vendors,
      snapshot.own_vendors,
    );
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
      return this.resume(scope, agentId, request.id, request);
    }
  }

  /** Returns the session for a turn; with `last_request` that of `request` when the turn is there already. */
  async resume(
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

  /** Writes the turn down and frees the session. Throws `conflict` where it has been taken over. */
  async keep(
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
          [LAST_TURN_EVENTS]: request.repeatable
            ? secrets.seal(purpose(row, EVENTS_PURPOSE), JSON.stringify(emitted))
            : null,
          ended_at: ended ? new Date(now) : null,
          turn_lease_until: new Date(0),
          expires_at: new Date(now + SESSION_LIFE_MS),
        },
      },
    );
    if (kept.matchedCount === 0) throw apiError('conflict');
  }

  /** Frees the session without the turn. */
  async release(row: TestSessionRow): Promise<void> {
    await this.#options.sessions.updateOne(
      { _id: row._id, tenant_id: row.tenant_id, turn_lease_until: row.turn_lease_until },
      { $set: { turn_lease_until: new Date(0) } },
    );
  }
}
