import { createHash } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import type { AgentTool } from '@voice/shared/contracts/agent';
import {
  type IntegrationToolOutcome,
  type IntegrationToolRequest,
  integrationToolOutcome,
} from '@voice/shared/contracts/integration-tool';
import { ServiceError } from '@voice/shared/errors/service-error';
import { derivedId, newId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { ZodError } from 'zod';
import { apiError } from '../platform/http/error-codes.js';
import { isDuplicateKey } from '../platform/http/errors.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { TenantCollection } from '../platform/store/tenant-collection.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import { VendorFailure } from '../platform/vendor-http.js';
import type { Action } from './adapter.js';
import { findAction, findAdapter } from './catalog.js';
import { type ToolRunRow, toolRunModel } from './model.js';
import type { Integrations } from './service.js';

/** A run that has not finished after this counts as abandoned, in ms. More than its requests may take. */
const RUN_LIMIT_MS = 45_000;
/** How long outcomes are kept for repetitions, in ms. */
const KEPT_MS = 24 * 60 * 60_000;
const POLL_MS = 200;
const MAX_POLLS = 60;
/** What the model can read of a result, in characters. */
const MAX_RESULT_CHARACTERS = 16_384;

/** What a model asks for. */
export type AskedAction = Pick<IntegrationToolRequest, 'integration' | 'action' | 'arguments'>;

/** The tenant and mode of a call, and the tools of its agents; null for an unknown one. */
export type CallLookup = (
  callId: string,
) => Promise<(TenantScope & { readonly tools: readonly AgentTool[] }) | null>;

interface ToolRunsOptions {
  readonly store: Connection;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly integrations: Integrations;
  readonly callOf: CallLookup;
}

/** Runs integrations' actions for agents in calls: once for each tool call, however often it is asked for. */
export class ToolRuns {
  readonly #runs;
  readonly #options: ToolRunsOptions;

  constructor(options: ToolRunsOptions) {
    this.#runs = new TenantCollection(toolRunModel(options.store));
    this.#options = options;
  }

  /** Throws `call_not_found`; everything that the model can use is an outcome. */
  async run(request: IntegrationToolRequest): Promise<IntegrationToolOutcome> {
    const call = await this.#options.callOf(request.call_id);
    if (!call) throw apiError('call_not_found');
    const { integration, action: name } = request;
    const isAgents = call.tools.some(
      (tool) => tool.type === 'integration' && tool.integration === integration && tool.action === name,
    );
    if (!isAgents) return failed(`The agent has no tool for ${integration} ${name}.`);
    if (call.sandbox) return NOT_IN_SANDBOX;
    const prepared = prepare(request);
    if ('ok' in prepared) return prepared;
    const { action, args } = prepared;
    return this.#once(call.tenant, request, action, () =>
      this.#outcomeOf(call.tenant, request, runId(request), action, args),
    );
  }

  /** Runs an action outside of calls, such as for an agent that is being tried out. */
  async try({ tenant, sandbox }: TenantScope, asked: AskedAction): Promise<IntegrationToolOutcome> {
    if (sandbox) return NOT_IN_SANDBOX;
    const prepared = prepare(asked);
    if ('ok' in prepared) return prepared;
    return this.#outcomeOf(tenant, asked, newId(), prepared.action, prepared.args);
  }

  /** Runs `work` unless this tool call was run before; then its outcome is the answer. */
  async #once(
    tenant: TenantId,
    request: IntegrationToolRequest,
    action: Action,
    work: () => Promise<IntegrationToolOutcome>,
  ): Promise<IntegrationToolOutcome> {
    const { clock } = this.#options;
    const _id = runId(request);
    for (let poll = 0; poll < MAX_POLLS; poll++) {
      const now = clock.now();
      const row: Omit<ToolRunRow, 'tenant_id'> = {
        _id,
        call_id: request.call_id,
        started_at: new Date(now),
        outcome: null,
        expires_at: new Date(now + KEPT_MS),
      };
      const before = await this.#begin(tenant, row);
      if (!before) return this.#finish(tenant, row, await work());
      if (before.outcome !== null) return this.#open(tenant, before.outcome, _id);
      if (before.started_at.getTime() + RUN_LIMIT_MS <= now) {
        const taken = await this.#runs.replace(
          tenant,
          { _id, outcome: null, started_at: before.started_at },
          { ...before, started_at: new Date(now) },
        );
        if (!taken) continue;
        const outcome = action.repeatable
          ? await work()
          : failed('It broke off; whether it was done is not known. Do not try again, tell a person.');
        return this.#finish(tenant, row, outcome);
      }
      await clock.sleep(POLL_MS);
    }
    throw apiError('conflict', 'This tool call is still running.', { retryable: true, retryAfterSeconds: 1 });
  }

  /** Null when the run is ours now; else the one that was there before. */
  async #begin(tenant: TenantId, row: Omit<ToolRunRow, 'tenant_id'>): Promise<ToolRunRow | null> {
    const before = await this.#runs.findOne(tenant, { _id: row._id });
    if (before) return before;
    try {
      await this.#runs.insert(tenant, row);
      return null;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return this.#runs.findOne(tenant, { _id: row._id });
    }
  }

  async #finish(
    tenant: TenantId,
    row: Omit<ToolRunRow, 'tenant_id'>,
    outcome: IntegrationToolOutcome,
  ): Promise<IntegrationToolOutcome> {
    const sealed = this.#options.secrets.seal(purpose(tenant, row._id), JSON.stringify(outcome));
    await this.#runs.replace(tenant, { _id: row._id }, { ...row, tenant_id: tenant, outcome: sealed });
    return outcome;
  }

  #open(tenant: TenantId, sealed: string, id: string): IntegrationToolOutcome {
    return integrationToolOutcome.parse(JSON.parse(this.#options.secrets.open(purpose(tenant, id), sealed)));
  }

  async #outcomeOf(
    tenant: TenantId,
    { integration }: AskedAction,
    run: string,
    action: Action,
    args: unknown,
  ): Promise<IntegrationToolOutcome> {
    try {
      const result = await this.#options.integrations.use(
        tenant,
        integration,
        run,
        // The arguments were parsed by this very action's schema.
        (call) => action.run(call, args as never),
      );
      return { ok: true, result: JSON.stringify(result).slice(0, MAX_RESULT_CHARACTERS) };
    } catch (error) {
      if (error instanceof VendorFailure) return failed(error.message);
      if (error instanceof ZodError) return failed('The vendor answered something that was not expected.');
      // Not connected, or to be connected anew.
      if (error instanceof ServiceError && error.code.startsWith('integration_'))
        return failed(error.message);
      throw error;
    }
  }
}

/** Returns the action with its arguments, or what is wrong with them. */
function prepare(asked: AskedAction): { action: Action; args: unknown } | IntegrationToolOutcome {
  const adapter = findAdapter(asked.integration);
  const action = adapter && findAction(adapter, asked.action);
  if (!action) return failed(`There is no action ${asked.integration} ${asked.action}.`);
  const args = action.parameters.safeParse(asked.arguments);
  if (args.success) return { action, args: args.data };
  const [issue] = args.error.issues;
  return failed(`The arguments are not right: ${issue!.path.join('.')}: ${issue!.message}`);
}

const failed = (result: string): IntegrationToolOutcome => ({ ok: false, result });
/** The accounts that a tenant has connected are real. */
const NOT_IN_SANDBOX = failed(
  'Integrations are not used in the sandbox: nothing was done. In production this would be done for real.',
);
const purpose = (tenant: TenantId, id: string) => `tenants/${tenant}/tool-runs/${id}`;

/** Models may use an id again for another tool call, so what is asked for belongs to it. */
function runId({
  call_id,
  tool_call_id,
  integration,
  action,
  arguments: args,
}: IntegrationToolRequest): string {
  const asked = createHash('sha256')
    .update(JSON.stringify([tool_call_id, integration, action, args]))
    .digest('hex');
  return derivedId(call_id, `tools/${asked}`);
}
