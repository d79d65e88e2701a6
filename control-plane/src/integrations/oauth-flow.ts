import { z } from 'zod';
import type { OAuthClient } from '../platform/settings/integrations.js';
import { VendorFailure, type VendorHttp } from '../platform/vendor-http.js';
import type { OAuthAdapter, OAuthCredentials } from './adapter.js';

/** RFC 6749, 5.1; some vendors say the lifetime as text, or not at all. */
const tokenAnswer = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expires_in: z.coerce.number().positive().nullish(),
  instance_url: z.url({ protocol: /^https?$/ }).nullish(),
});

export interface OAuthSite {
  readonly adapter: OAuthAdapter;
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly at: (host: string, path: string) => string;
  readonly http: VendorHttp;
  readonly now: () => number;
}

/** Returns the address where the person says yes. */
export function authorizationUrl(site: OAuthSite, state: string, challenge: string): string {
  const { authorize, scopes, scopeSeparator, pkce } = site.adapter.oauth;
  const url = new URL(site.at(authorize.host, authorize.path));
  const params: Record<string, string> = {
    ...authorize.params,
    response_type: 'code',
    client_id: site.client.id,
    redirect_uri: site.redirectUri,
    scope: scopes.join(scopeSeparator),
    state,
    ...(pkce ? { code_challenge: challenge, code_challenge_method: 'S256' } : {}),
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.toString();
}

/** Exchanges the code that came back. Throws `VendorFailure`. */
export function exchangeCode(site: OAuthSite, code: string, verifier: string): Promise<OAuthCredentials> {
  return askForTokens(site, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: site.redirectUri,
    ...(site.adapter.oauth.pkce ? { code_verifier: verifier } : {}),
  });
}

/**
 * New tokens for old ones; what the vendor does not send anew stays. Throws `VendorFailure`: `unavailable` unless the
 * vendor says that the grant is dead.
 */
export async function refreshTokens(site: OAuthSite, old: OAuthCredentials): Promise<OAuthCredentials> {
  const fresh = await askForTokens(site, {
    grant_type: 'refresh_token',
    refresh_token: old.refresh_token ?? '',
  }).catch((error: unknown) => {
    if (!(error instanceof VendorFailure) || isDeadGrant(site.adapter, error)) throw error;
    // A wrong secret of this installation, or a proxy before the vendor: neither takes back what a person has granted.
    throw new VendorFailure('unavailable', error.message, error, error.status, error.code);
  });
  return {
    ...fresh,
    refresh_token: fresh.refresh_token ?? old.refresh_token,
    instance_url: fresh.instance_url ?? old.instance_url,
  };
}

function isDeadGrant({ oauth }: OAuthAdapter, { kind, code }: VendorFailure): boolean {
  return (
    kind !== 'unavailable' && code !== null && ['invalid_grant', ...(oauth.deadGrants ?? [])].includes(code)
  );
}

async function askForTokens(site: OAuthSite, grant: Record<string, string>): Promise<OAuthCredentials> {
  const { token, failureIn } = site.adapter.oauth;
  const { json } = await site.http.send(
    {
      method: 'POST',
      url: site.at(token.host, token.path),
      form: { ...grant, client_id: site.client.id, client_secret: site.client.secret },
    },
    true,
  );
  const failure = failureIn?.(json);
  if (failure) throw failure;
  const read = tokenAnswer.safeParse(json);
  if (!read.success) throw new VendorFailure('unavailable', 'The vendor sent no tokens.', read.error);
  const { access_token, refresh_token, expires_in, instance_url } = read.data;
  return {
    kind: 'oauth',
    access_token,
    refresh_token: refresh_token ?? null,
    expires_at: expires_in == null ? null : site.now() + expires_in * 1000,
    instance_url: instance_url ?? null,
  };
}
