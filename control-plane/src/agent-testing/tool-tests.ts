import { type HttpToolOptions, MAX_RESULT_BYTES, sendHttpTool } from '@voice/shared/agent-tools/http-tool';
import { ToolArguments } from '@voice/shared/agent-tools/tool-arguments';
import type { AgentTool } from '@voice/shared/contracts/agent';
import type { GuardedResponse } from '@voice/shared/egress/guarded-request';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { TenantId } from '@voice/shared/ids/ids';
import { requireUsableTool } from '../agents/outside-world.js';
import { filledHeaders } from '../agents/secret-headers.js';
import type { AgentDirectory } from '../calls/plan/agent-directory.js';
import { ValidationError } from '../platform/http/validation.js';
import type { ToolTestRequest, ToolTestResponse } from './schemas.js';

/** The longest that a test waits for an answer, in ms, whatever the tool allows: a person waits for it. */
const TEST_TIMEOUT_MS = 30_000;

type GivenTool = ToolTestRequest['tool'];
type TestedTool = Extract<AgentTool, { type: 'http' }>;

export interface ToolTestsOptions extends HttpToolOptions {
  readonly agents: AgentDirectory;
}

/** Runs an HTTP tool once as a call would, to show what its server answers. */
export class ToolTests {
  readonly #options: ToolTestsOptions;

  constructor(options: ToolTestsOptions) {
    this.#options = options;
  }

  /**
   * Secrets that are left out are those of the agent's own tool of this name, as when the tool is saved. Throws
   * `agent_not_found`, and `ValidationError` for a tool that no call could use and arguments that do not fit it.
   */
  async run(
    tenant: TenantId,
    agentId: string,
    { tool, arguments: args }: ToolTestRequest,
  ): Promise<ToolTestResponse> {
    const { agents, policy, clock } = this.#options;
    const { snapshot } = await agents.snapshot(tenant, agentId);
    const stored = snapshot.tools.find(
      (one): one is TestedTool => one.type === 'http' && one.name === tool.name,
    );
    const whole = withStoredSecrets(tool, stored);
    requireUsableTool(whole, policy);
    const refusal = new ToolArguments().refusal(whole, args);
    if (refusal !== undefined) {
      throw new ValidationError([{ loc: ['body', 'arguments'], msg: refusal, type: 'value_error' }]);
    }
    const tried = { ...whole, timeout_ms: Math.min(tool.timeout_ms, TEST_TIMEOUT_MS) };
    const startedAt = clock.now();
    const lasted = () => Math.max(0, Math.round(clock.now() - startedAt));
    try {
      const answer = await sendHttpTool({ policy, clock }, tried, args);
      return { ...answered(answer), duration_ms: lasted(), error: null };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { code, message } = error;
      return { ...NO_ANSWER, duration_ms: lasted(), error: { code, message } };
    }
  }
}

/** Adds the stored secrets that a save would keep: headers of the same origin alone. Pure. Throws `ValidationError`. */
function withStoredSecrets(
  { secret_headers: given, secret_header_names: _shown, ...tool }: GivenTool,
  stored: TestedTool | undefined,
): TestedTool {
  const isSameOrigin = stored !== undefined && new URL(stored.url).origin === new URL(tool.url).origin;
  const kept = isSameOrigin ? stored.secret_headers : undefined;
  const secret = tool.secret ?? stored?.secret;
  const secret_headers = given === undefined ? kept : filledHeaders(given, kept ?? {}, ['body', 'tool']);
  return {
    ...tool,
    ...(secret === undefined ? {} : { secret }),
    ...(secret_headers === undefined ? {} : { secret_headers }),
  };
}

const NO_ANSWER = { status: null, content_type: null, body: '', body_bytes: 0, truncated: false };

/** Cuts an answer to what a model would read of it. Pure. */
function answered({ status, headers, body }: GuardedResponse) {
  const type = headers['content-type'];
  return {
    status,
    content_type: typeof type === 'string' ? type : null,
    body: body.subarray(0, MAX_RESULT_BYTES).toString('utf8'),
    body_bytes: body.length,
    truncated: body.length > MAX_RESULT_BYTES,
  };
}
