import { z } from 'zod';
import type { VendorFailure } from '../../platform/vendor-http.js';
import type { OAuthAdapter, OAuthCredentials, OAuthDialect, VendorCall } from '../adapter.js';

/** https://developers.google.com/identity/protocols/oauth2/web-server */
const GOOGLE_HOSTS = {
  accounts: 'https://accounts.google.com',
  oauth: 'https://oauth2.googleapis.com',
  www: 'https://www.googleapis.com',
  sheets: 'https://sheets.googleapis.com',
} as const;

export function googleOAuth(scopes: readonly string[]): OAuthDialect {
  return {
    // Without these two Google gives a refresh token at the first consent only.
    authorize: {
      host: 'accounts',
      path: '/o/oauth2/v2/auth',
      params: { access_type: 'offline', prompt: 'consent' },
    },
    token: { host: 'oauth', path: '/token' },
    scopes: ['openid', 'email', ...scopes],
    scopeSeparator: ' ',
    pkce: true,
  };
}

const googleCheck: OAuthAdapter['check'] = async (call) => {
  const { json } = await call.send({ method: 'GET', url: call.at('www', '/oauth2/v3/userinfo') });
  return { account: z.looseObject({ email: z.string().nullish() }).parse(json).email ?? null };
};

const googleRevoke = async (call: VendorCall<OAuthCredentials>) => {
  const token = call.credentials.refresh_token ?? call.credentials.access_token;
  await call.send({ method: 'POST', url: call.at('oauth', '/revoke'), form: { token }, anonymous: true });
};

export const google = {
  kind: 'oauth',
  vendor: 'google',
  hosts: GOOGLE_HOSTS,
  check: googleCheck,
  revoke: googleRevoke,
  isUnknownToken: ({ code }: VendorFailure) => code === 'invalid_token',
} as const satisfies Partial<OAuthAdapter>;
