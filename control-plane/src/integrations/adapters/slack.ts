import { z } from 'zod';
import { VendorFailure, type VendorFailureKind, type VendorRequest } from '../../platform/vendor-http.js';
import { action, type OAuthAdapter, type VendorCall } from '../adapter.js';
import { configured } from './configured.js';

/** Errors by which Slack says that a token does not count (https://api.slack.com/methods/auth.test). */
const TOKEN_ERRORS = ['invalid_auth', 'not_authed', 'token_revoked', 'token_expired', 'account_inactive'];

/** Errors that pass by themselves. */
const PASSING_ERRORS = [
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'ratelimited',
  'rate_limited',
  'team_added_to_org',
];

const slackAnswer = z.looseObject({ ok: z.boolean(), error: z.string().optional() });

/** Slack answers failures with 200 and `ok: false`. */
function failureIn(answer: unknown): VendorFailure | undefined {
  const read = slackAnswer.safeParse(answer);
  if (!read.success) {
    return new VendorFailure('unavailable', 'Slack answered something that was not expected.', read.error);
  }
  if (read.data.ok) return undefined;
  const error = read.data.error ?? 'unknown_error';
  return new VendorFailure(kindOf(error), `Slack refused: ${error}.`, undefined, 200, error);
}

function kindOf(error: string): VendorFailureKind {
  if (PASSING_ERRORS.includes(error)) return 'unavailable';
  return TOKEN_ERRORS.includes(error) ? 'unauthorized' : 'refused';
}

async function api(call: VendorCall, method: string, json?: unknown): Promise<unknown> {
  const request: VendorRequest = { method: 'POST', url: call.at('api', `/api/${method}`), json };
  const { json: answer } = await call.send(request);
  const failure = failureIn(answer);
  if (failure) throw failure;
  return answer;
}

/** https://api.slack.com/authentication/oauth-v2 */
export const slack: OAuthAdapter = {
  kind: 'oauth',
  slug: 'slack',
  name: 'Slack',
  description: 'Posts messages to channels of a workspace.',
  vendor: 'slack',
  hosts: { api: 'https://slack.com' },
  configHint: '`channel`: where messages go that name none.',
  oauth: {
    authorize: { host: 'api', path: '/oauth/v2/authorize' },
    token: { host: 'api', path: '/api/oauth.v2.access' },
    scopes: ['chat:write'],
    scopeSeparator: ',',
    pkce: false,
    deadGrants: ['invalid_refresh_token', 'token_revoked'],
    failureIn,
  },
  async check(call) {
    const { team } = z.looseObject({ team: z.string().nullish() }).parse(await api(call, 'auth.test'));
    return { account: team ?? null };
  },
  async revoke(call) {
    await api(call, 'auth.revoke');
  },
  // Not an expired token: the refresh token beside it may be good.
  isUnknownToken: ({ code }) =>
    code !== null && ['invalid_auth', 'token_revoked', 'account_inactive'].includes(code),
  actions: [
    action({
      name: 'post_message',
      description: 'Posts a message to a Slack channel.',
      parameters: z.object({
        text: z.string().min(1).max(4000).describe('The message.'),
        channel: z
          .string()
          .min(1)
          .max(100)
          .optional()
          .describe('Channel name or id; left out, the usual one.'),
      }),
      repeatable: false,
      async run(call, { text, channel }) {
        const to = channel ?? configured(call, 'channel');
        const sent = z
          .looseObject({ channel: z.string(), ts: z.string() })
          .parse(await api(call, 'chat.postMessage', { channel: to, text }));
        return { channel: sent.channel, message_id: sent.ts };
      },
    }),
  ],
};
