import type { TemplatedApp } from 'uWebSockets.js';
import type { CallUsage } from '@voice/shared/contracts/call-events';
import { type CallPlan, callPlan, type Reservation } from '@voice/shared/contracts/call-plan';
import {
  type CommandReply,
  callCommand,
  type GivenBack,
  type HeldCalls,
} from '@voice/shared/contracts/worker';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import type { z } from 'zod';
import type { CallRegistry } from '../call/registry.js';
import { signed } from './inter-plane.js';
import { type Answer, handle } from './responses.js';

export interface ControlRoutesOptions {
  readonly registry: CallRegistry;
  readonly workerId: string;
  readonly verifier: InterPlaneVerifier;
  /** Base ws(s) URL of the media streams, as carriers reach it. */
  readonly mediaUrl: () => string;
  /**
   * The place is taken: the call is prepared while the phone rings. Throws when the plan names something that this
   * worker does not have.
   */
  readonly prepare: (plan: CallPlan) => void;
  /** What preparing a call used that was given back; undefined when that was nothing, or is not known (any more). */
  readonly usageOf: (callId: string) => CallUsage | undefined;
  /** Keeps an operator's note for a reserved call until its agent can read it; false when it cannot. */
  readonly keepNote: (callId: string, text: string) => boolean;
  readonly onError: (error: unknown) => void;
}

/** How many command ids are remembered against repeats. */
const COMMANDS_REMEMBERED = 5000;

/** Adds the command server: the control plane reserves places and commands calls. Every request is signed. */
export function addControlRoutes(app: TemplatedApp, options: ControlRoutesOptions): void {
  const { registry, verifier, onError } = options;
  const seenCommands = new Set<string>();

  app.post(
    '/control/calls',
    handle(
      0,
      signed(verifier, (request) => {
        const plan = parse(callPlan, request.body);
        const token = registry.reserve(plan);
        try {
          options.prepare(plan);
        } catch (error) {
          registry.release(plan.call_id);
          throw error;
        }
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

  app.get(
    '/control/calls',
    handle(
      0,
      signed(verifier, () => ({
        status: 200,
        body: { worker_id: options.workerId, calls: registry.callIds() } satisfies HeldCalls,
      })),
      onError,
    ),
  );

  app.del(
    '/control/calls/:id',
    handle(
      1,
      signed(verifier, (request) => {
        const callId = request.parameters[0]!;
        const wasHeld = registry.release(callId);
        const usage = options.usageOf(callId);
        if (usage) return { status: 200, body: { usage } satisfies GivenBack };
        if (!wasHeld) throw callNotFound();
        return { status: 204 };
      }),
      onError,
    ),
  );

  app.post(
    '/control/calls/:id/commands',
    handle(
      1,
      signed(verifier, (request) => {
        const command = parse(callCommand, request.body);
        const callId = request.parameters[0]!;
        const call = registry.find(callId);
        const remember = () => {
          seenCommands.add(command.command_id);
          if (seenCommands.size > COMMANDS_REMEMBERED) {
            seenCommands.delete(seenCommands.values().next().value!);
          }
        };
        if (!call) {
          const ends = command.command.kind === 'hang_up' || command.command.kind === 'carrier_ended';
          if (ends && registry.release(callId)) return accepted('accepted');
          if (registry.hasEnded(callId)) return accepted('already_ended');
          if (command.command.kind === 'whisper') {
            const isKnown = seenCommands.has(command.command_id);
            if (isKnown || options.keepNote(callId, command.command.text)) {
              remember();
              return accepted('accepted');
            }
          }
          throw callNotFound();
        }
        if (seenCommands.has(command.command_id)) return accepted('accepted');
        remember();
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
