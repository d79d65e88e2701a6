import type { TemplatedApp } from 'uWebSockets.js';
import type { Clock } from '@voice/shared/clock/clock';
import { callPlan, type Reservation } from '@voice/shared/contracts/call-plan';
import { type CommandReply, callCommand } from '@voice/shared/contracts/worker';
import { ServiceError } from '@voice/shared/errors/service-error';
import { verifyInterPlaneAuthorization } from '@voice/shared/inter-plane/token';
import type { z } from 'zod';
import type { CallRegistry } from '../call/registry.js';
import { type Answer, handle, type ReceivedRequest } from './responses.js';

export interface ControlRoutesOptions {
  readonly registry: CallRegistry;
  readonly workerId: string;
  readonly secret: string;
  readonly clock: Clock;
  /** Base ws(s) URL of the media streams, as carriers reach it. */
  readonly mediaUrl: () => string;
  /** Throws when the plan names something that this worker does not have. */
  readonly checkPlan: (plan: z.infer<typeof callPlan>) => void;
  readonly onError: (error: unknown) => void;
}

/** How many command ids are remembered against repeats. */
const COMMANDS_REMEMBERED = 5000;

/** The command server: the control plane reserves places and commands calls. Every request is signed. */
export function addControlRoutes(app: TemplatedApp, options: ControlRoutesOptions): void {
  const { registry, onError } = options;
  const seenCommands = new Set<string>();

  const authenticated = (handler: (request: ReceivedRequest) => Answer) => (request: ReceivedRequest) => {
    const { secret, clock } = options;
    const { method, path, authorization } = request;
    if (!verifyInterPlaneAuthorization(authorization, { secret, method, path, now: clock.now() })) {
      throw new ServiceError({
        code: 'invalid_inter_plane_token',
        status: 401,
        message: 'The inter-plane token is missing, expired or made for another request.',
      });
    }
    return handler(request);
  };

  app.post(
    '/control/calls',
    handle(
      0,
      authenticated((request) => {
        const plan = parse(callPlan, request.body);
        options.checkPlan(plan);
        const token = registry.reserve(plan);
        const reservation: Reservation = {
          call_id: plan.call_id,
          worker_id: options.workerId,
          stream_url: `${options.mediaUrl()}/streams/${plan.carrier.protocol}`,
          stream_token: token,
        };
        return { status: 201, body: reservation };
      }),
      onError,
    ),
  );

  app.del(
    '/control/calls/:id',
    handle(
      1,
      authenticated((request) => {
        if (!registry.release(request.parameters[0]!)) throw callNotFound();
        return { status: 204 };
      }),
      onError,
    ),
  );

  app.post(
    '/control/calls/:id/commands',
    handle(
      1,
      authenticated((request) => {
        const command = parse(callCommand, request.body);
        const callId = request.parameters[0]!;
        const call = registry.find(callId);
        if (!call) {
          const ends = command.command.kind === 'hang_up' || command.command.kind === 'carrier_ended';
          if (ends && registry.release(callId)) return accepted('accepted');
          if (registry.hasEnded(callId)) return accepted('already_ended');
          throw callNotFound();
        }
        if (seenCommands.has(command.command_id)) return accepted('accepted');
        seenCommands.add(command.command_id);
        if (seenCommands.size > COMMANDS_REMEMBERED) seenCommands.delete(seenCommands.values().next().value!);
        return accepted(call.command(command) ? 'accepted' : 'already_ended');
      }),
      onError,
    ),
  );
}

function accepted(status: CommandReply['status']): Answer {
  return { status: 202, body: { status } satisfies CommandReply };
}

function callNotFound(): ServiceError {
  return new ServiceError({
    code: 'call_not_found',
    status: 404,
    message: 'This worker does not hold this call.',
  });
}

function parse<T>(schema: z.ZodType<T>, body: Buffer): T {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new ServiceError({ code: 'malformed_json', status: 400, message: 'The body is not JSON.', cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ServiceError({
    code: 'validation_error',
    status: 422,
    message: parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '),
  });
}
