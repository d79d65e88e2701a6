import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import { signStreamTicket } from '@voice/shared/inter-plane/stream-ticket';
import type { TesterCalls } from '../calls/outbound/tester-calls.js';
import type { AgentDirectory, AgentForCall } from '../calls/plan/agent-directory.js';
import type { Variables } from '../calls/plan/variables.js';
import type { TesterLine } from '../calls/record/test-sessions.js';
import { apiError } from '../platform/http/error-codes.js';
import type { IceSettings } from '../platform/settings/ice.js';
import { ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import { iceServersFor } from './ice-servers.js';
import type { WebRtcSessionCreate, WsSessionCreate } from './schemas.js';
import { SESSION_LIFE_MS, type TestSessionModel } from './session-model.js';

export interface VoiceSessionsOptions {
  readonly sessions: TestSessionModel;
  readonly agents: AgentDirectory;
  readonly testerCalls: TesterCalls;
  /** Signs what the tester shows at the worker. */
  readonly internalSecret: string;
  /** How testers reach this service, without a trailing slash. */
  readonly publicUrl: () => string;
  /** What testers' browsers are given. */
  readonly ice: IceSettings;
  readonly clock: Clock;
}

/** What a session with a voice is begun with. */
export interface VoiceSessionStart {
  readonly id: string;
  readonly variables: Variables;
}

/** Test sessions with a voice: each is a test call at a media worker. */
export class VoiceSessions {
  readonly #options: VoiceSessionsOptions;

  constructor(options: VoiceSessionsOptions) {
    this.#options = options;
  }

  async createWebSocket(
    scope: TenantScope,
    agentId: string,
    start: VoiceSessionStart,
  ): Promise<WsSessionCreate> {
    const { reservation, expiresAt } = await this.#begin(scope, agentId, 'websocket', start);
    const ticket = { callId: start.id, streamToken: reservation.stream_token, expiresAt };
    return {
      session_id: start.id,
      stream_url: reservation.stream_url,
      token: signStreamTicket(this.#options.internalSecret, ticket),
      expires_at: new Date(expiresAt).toISOString(),
    };
  }

  /** Throws 503 `webrtc_not_available` besides what a WebSocket session throws. */
  async createWebRtc(
    scope: TenantScope,
    agentId: string,
    start: VoiceSessionStart,
  ): Promise<WebRtcSessionCreate> {
    const { publicUrl, ice, clock } = this.#options;
    const { expiresAt } = await this.#begin(scope, agentId, 'webrtc', start);
    return {
      session_id: start.id,
      webrtc_url: `${publicUrl()}/api/v1/test-sessions/${start.id}/offer`,
      expires_at: new Date(expiresAt).toISOString(),
      ice_servers: iceServersFor(ice, start.id, clock.now()),
    };
  }

  /** Throws 404 `agent_not_found`, 409 `agent_inactive`, and what `TesterCalls.create` throws. */
  async #begin(scope: TenantScope, agentId: string, kind: TesterLine, start: VoiceSessionStart) {
    const { sessions, testerCalls, clock } = this.#options;
    const { id, variables } = start;
    const agent = await this.#requireTestable(scope.tenant, agentId);
    const begun = await testerCalls.create(scope, kind, { id, agent, variables });
    const now = clock.now();
    await sessions.updateOne(
      { _id: id, ...ownedBy(scope) },
      {
        $setOnInsert: {
          agent_id: agentId,
          kind,
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
    return begun;
  }

  async #requireTestable(tenant: TenantId, agentId: string): Promise<AgentForCall> {
    const agent = await this.#options.agents.snapshot(tenant, agentId);
    if (!agent.isActive) throw apiError('agent_inactive');
    return agent;
  }
}
