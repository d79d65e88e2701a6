import { type Access, MECHANISM, type SaslReply } from '../access/access.js';
import { Binary, Int32, isDoc, type Value } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import type { Command, Reply } from './command.js';

const CONVERSATION_ID = 1;

const failed = () => new CommandError(codes.AuthenticationFailed, 'Authentication failed.');

function textOf(payload: Value | undefined): string {
  if (payload instanceof Binary) return payload.bytes.toString('utf8');
  if (typeof payload === 'string') return Buffer.from(payload, 'base64').toString('utf8');
  throw failed();
}

function replyOf(answer: SaslReply | undefined): Reply {
  if (!answer) throw failed();
  return {
    conversationId: new Int32(CONVERSATION_ID),
    done: answer.done,
    payload: new Binary(0, Buffer.from(answer.payload)),
  };
}

/** Requires a password; without one there is no user to sign in. */
function required(access: Access | undefined): Access {
  if (!access) throw failed();
  return access;
}

export const saslStart: Command = ({ args }, { access }) => {
  args.value('saslStart');
  const mechanism = args.string('mechanism');
  if (mechanism !== MECHANISM) {
    throw new CommandError(codes.MechanismUnavailable, `The mechanism ${mechanism} is not supported.`);
  }
  const payload = textOf(args.value('payload'));
  args.ignore('options', 'autoAuthorize', 'db');
  args.done();
  return replyOf(required(access).start(mechanism, payload));
};

export const saslContinue: Command = ({ args }, { access }) => {
  args.value('saslContinue');
  args.ignore('conversationId');
  const payload = textOf(args.value('payload'));
  args.done();
  return replyOf(required(access).proceed(payload));
};

/**
 * Builds what `hello` says of signing in: the mechanisms of the user asked for, and the first answer to one who
 * begins.
 */
export function helloOfAccess(
  access: Access | undefined,
  asked: { readonly mechanisms: Value | undefined; readonly speculative: Value | undefined },
): Reply {
  if (!access) return {};
  const { mechanisms, speculative } = asked;
  const begun = isDoc(speculative) && speculative.has('saslStart') ? speculative : undefined;
  const payload = begun?.get('payload');
  const answer =
    payload instanceof Binary
      ? access.start(begun?.get('mechanism'), payload.bytes.toString('utf8'))
      : undefined;
  return {
    ...(typeof mechanisms === 'string' ? { saslSupportedMechs: [MECHANISM] } : {}),
    ...(answer ? { speculativeAuthenticate: replyOf(answer) } : {}),
  };
}
