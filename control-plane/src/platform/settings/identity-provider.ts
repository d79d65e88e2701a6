import { optionalUrl } from '@voice/shared/catalogue/environment';
import { pair } from '@voice/shared/environment/environment';
import { matching, optionalText, url } from '@voice/shared/environment/parsers';

/** The part of the environment that is about the identity provider; read by `config.ts` with the rest. */
export const identityProviderVariables = {
  /** Where the identity provider's public keys are; its signed sessions then count as credentials. */
  IDENTITY_JWKS_URL: optionalUrl,
  IDENTITY_ISSUER: optionalText,
  IDENTITY_AUDIENCE: optionalText,
  /** The claim of those sessions that names a person's role. */
  IDENTITY_ROLE_CLAIM: optionalText,
  /** The cookie in which browsers bring such a session to the dashboard. */
  IDENTITY_COOKIE: matching(/^[\w!#$%&'*+.^`|~-]{1,100}$/, "a cookie's name").default('__session'),
  /** Where people sign in at the identity provider; `{return_to}` in it becomes the dashboard's address. */
  IDENTITY_SIGN_IN_URL: optionalText.pipe(url('http', 'https').optional()),
};

export interface IdentityProviderAccess {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience?: string;
  readonly roleClaim?: string;
  /** Of the cookie in which a browser brings a session of the provider. */
  readonly cookie: string;
  /** Where people sign in; `{return_to}` in it stands for where they come back to. */
  readonly signInUrl?: string;
}

/** Gives the settings that parsed variables hold. Throws a `ConfigurationError` where keys lack their issuer. */
export function identityProviderSettings(
  vars: Readonly<Partial<Record<keyof typeof identityProviderVariables, string | undefined>>>,
): IdentityProviderAccess | undefined {
  const {
    IDENTITY_AUDIENCE: audience,
    IDENTITY_ROLE_CLAIM: roleClaim,
    IDENTITY_COOKIE: cookie = '__session',
    IDENTITY_SIGN_IN_URL: signInUrl,
  } = vars;
  const both = pair(['IDENTITY_JWKS_URL', vars.IDENTITY_JWKS_URL], ['IDENTITY_ISSUER', vars.IDENTITY_ISSUER]);
  if (both === undefined) return undefined;
  return {
    jwksUrl: both[0],
    issuer: both[1],
    ...(audience === undefined ? {} : { audience }),
    ...(roleClaim === undefined ? {} : { roleClaim }),
    cookie,
    ...(signInUrl === undefined ? {} : { signInUrl }),
  };
}
