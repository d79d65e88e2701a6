import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import { signStreamTicket } from '@voice/shared/inter-plane/stream-ticket';
import type { AgentDirectory, AgentForCall } from '../calls/agent-directory.js';
import type { Variables } from '../calls/variables.js';
import type { WebSocketCalls } from '../calls/web-socket-calls.js';
import { apiError } from '../http/error-codes.js';
import type { WsSessionCreate } from './schemas.js';
import { SESSION_LIFE_MS, type TestSessionModel } from './session-model.js';

export interface VoiceSessionsOptions {
  readonly sessions: TestSessionModel;
  readonly agents: AgentDirectory;
  readonly webSocketCalls: WebSocketCalls;
  /** Signs what the tester shows at the worker. */
  readonly internalSecret: string;
  readonly clock: Clock;
}

/** Test sessions with a voice: each is a test call at a media worker. */
export class VoiceSessions {
  readonly #options: VoiceSessionsOptions;

  constructor(options: VoiceSessionsOptions) {
    this.#options = options;
  }

  /** Throws 404 `agent_not_found`, 409 `agent_inactive`. */
  async requireTestable(tenant: TenantId, agentId: string): Promise<AgentForCall> {
    const agent = await this.#options.agents.snapshot(tenant, agentId);
    if (!agent.isActive) throw apiError('agent_inactive');
    return agent;
  }

  async createWebSocket(
    tenant: TenantId,
    agentId: string,
    { id, sandbox, variables }: { id: string; sandbox: boolean; variables: Variables },
  ): Promise<WsSessionCreate> {
    const { sessions, webSocketCalls, internalSecret, clock } = this.#options;
    const agent = await this.requireTestable(tenant, agentId);
    const { reservation, expiresAt } = await webSocketCalls.create(tenant, { id, agent, variables });
    const now = clock.now();
    await sessions.updateOne(
      { _id: id, tenant_id: tenant },
      {
        $setOnInsert: {
          agent_id: agentId,
          kind: 'websocket',
          sandbox,
          agent_snapshot: '{}',
          analysis_settings: '{}',
          messages: '[]',
          transcript: '[]',
          tool_executions: '[]',
          turns: 0,
          ended_at: null,
          turn_lease_until: new Date(0),
          analysis: null,
          analysed_turns: 0,
          analysis_lease_until: new Date(0),
          created_at: new Date(now),
          expires_at: new Date(now + SESSION_LIFE_MS),
        },
      },
      { upsert: true },
    );
    const ticket = { callId: id, streamToken: reservation.stream_token, expiresAt };
    return {
      session_id: id,
      stream_url: reservation.stream_url,
      token: signStreamTicket(internalSecret, ticket),
      expires_at: new Date(expiresAt).toISOString(),
    };
  }

  /** Throws 404 `test_session_not_found` for an absent, expired or foreign one. */
  async requireSession(tenant: TenantId, id: string): Promise<void> {
    const { sessions, clock } = this.#options;
    const found = await sessions.exists({
      _id: id,
      tenant_id: tenant,
      expires_at: { $gt: new Date(clock.now()) },
    });
    if (!found) throw apiError('test_session_not_found');
  }
}
