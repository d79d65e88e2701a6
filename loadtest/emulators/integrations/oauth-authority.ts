import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';

export interface OAuthRules {
  readonly scopes: readonly string[];
  readonly separator: ' ' | ',';
  /** Whether a code challenge (S256) is demanded. */
  readonly pkce: boolean;
  /** Lifetime of access tokens in s; null: until they are revoked. */
  readonly lifetimeS: number | null;
  /** Whether there are refresh tokens, and on what query they depend. */
  readonly refresh: 'never' | 'always' | 'offline_with_consent';
}

export interface Grant {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly scopes: readonly string[];
}

/** A refusal in the terms of RFC 6749, 5.2 and 4.1.2.1. */
export class OAuthRefusal extends Error {
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

interface Code {
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly scopes: readonly string[];
  readonly refresh: boolean;
  readonly expiresAt: number;
  used: boolean;
  /** What was given for it: revoked when somebody comes with it again (RFC 6749, 4.1.2). */
  readonly issued: Consent;
}

/** What a person agreed to; all tokens of one consent end together. */
interface Consent {
  readonly scopes: readonly string[];
  revoked: boolean;
}

const CODE_LIFE_MS = 60_000;

/** A vendor's authorization server, for one registered client. */
export class OAuthAuthority {
  readonly clientId: string;
  /** Changed, it refuses the client that was registered, as where an operator has set up another secret. */
  clientSecret: string;
  /** How often new tokens were given for a refresh token. */
  refreshes = 0;
  readonly #rules: OAuthRules;
  readonly #clock: Clock;
  readonly #codes = new Map<string, Code>();
  readonly #access = new Map<string, { consent: Consent; expiresAt: number }>();
  readonly #refresh = new Map<string, Consent>();

  constructor(name: string, rules: OAuthRules, clock: Clock) {
    this.clientId = `${name}-client`;
    this.clientSecret = `${name}-secret`;
    this.#rules = rules;
    this.#clock = clock;
  }

  get lifetimeS(): number | null {
    return this.#rules.lifetimeS;
  }

  /** Consents at once; gives the address that the person is sent back to. */
  consent(query: URLSearchParams): string {
    const need = (name: string) => {
      const value = query.get(name);
      if (value === null || value === '') throw new OAuthRefusal('invalid_request', `${name} is missing`);
      return value;
    };
    if (need('client_id') !== this.clientId) throw new OAuthRefusal('unauthorized_client', 'unknown client');
    if (need('response_type') !== 'code') throw new OAuthRefusal('unsupported_response_type', 'not code');
    const redirectUri = need('redirect_uri');
    const scopes = need('scope').split(this.#rules.separator);
    const unknown = scopes.find((scope) => !this.#rules.scopes.includes(scope));
    if (unknown !== undefined) throw new OAuthRefusal('invalid_scope', `no such scope: ${unknown}`);
    const challenge = query.get('code_challenge');
    if (this.#rules.pkce && challenge === null) throw new OAuthRefusal('invalid_request', 'no challenge');
    if (challenge !== null && query.get('code_challenge_method') !== 'S256') {
      throw new OAuthRefusal('invalid_request', 'only S256');
    }
    const offline = query.get('access_type') === 'offline' && query.get('prompt') === 'consent';
    const code = secret('code');
    this.#codes.set(code, {
      redirectUri,
      challenge,
      scopes,
      refresh:
        this.#rules.refresh === 'always' || (this.#rules.refresh === 'offline_with_consent' && offline),
      expiresAt: this.#clock.now() + CODE_LIFE_MS,
      used: false,
      issued: { scopes, revoked: false },
    });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', need('state'));
    return back.toString();
  }

  /** Serves the token endpoint. */
  token(form: URLSearchParams): Grant {
    if (form.get('client_id') !== this.clientId || form.get('client_secret') !== this.clientSecret) {
      throw new OAuthRefusal('invalid_client', 'client credentials are wrong');
    }
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return this.#exchange(form);
      case 'refresh_token': {
        const consent = this.#refresh.get(form.get('refresh_token') ?? '');
        if (!consent || consent.revoked)
          throw new OAuthRefusal('invalid_grant', 'refresh token is not valid');
        this.refreshes += 1;
        return { accessToken: this.#issue(consent), refreshToken: null, scopes: consent.scopes };
      }
      default:
        throw new OAuthRefusal('unsupported_grant_type', 'unknown grant type');
    }
  }

  /** Returns the scopes of a token that counts now; undefined otherwise. */
  scopesOf(accessToken: string): readonly string[] | undefined {
    const found = this.#access.get(accessToken);
    if (!found || found.consent.revoked || found.expiresAt <= this.#clock.now()) return undefined;
    return found.consent.scopes;
  }

  /** Ends the consent behind an access or refresh token; false when there is none. */
  revoke(token: string): boolean {
    const consent = this.#access.get(token)?.consent ?? this.#refresh.get(token);
    if (!consent || consent.revoked) return false;
    consent.revoked = true;
    return true;
  }

  /** Revokes every token, as a person does at the vendor. */
  revokeAll(): void {
    for (const { consent } of this.#access.values()) consent.revoked = true;
    for (const consent of this.#refresh.values()) consent.revoked = true;
  }

  /** Ends access as an administrator's change does: access tokens end before their time, refresh tokens stay. */
  expireAccess(): void {
    this.#access.clear();
  }

  #exchange(form: URLSearchParams): Grant {
    const code = this.#codes.get(form.get('code') ?? '');
    if (!code || code.expiresAt <= this.#clock.now()) {
      throw new OAuthRefusal('invalid_grant', 'the code is not valid');
    }
    if (code.used) {
      code.issued.revoked = true;
      throw new OAuthRefusal('invalid_grant', 'the code was used before');
    }
    if (form.get('redirect_uri') !== code.redirectUri) {
      throw new OAuthRefusal('invalid_grant', 'redirect_uri is another');
    }
    const verifier = form.get('code_verifier') ?? '';
    if (
      code.challenge !== null &&
      createHash('sha256').update(verifier).digest('base64url') !== code.challenge
    ) {
      throw new OAuthRefusal('invalid_grant', 'code_verifier does not fit');
    }
    code.used = true;
    const refreshToken = code.refresh ? secret('refresh') : null;
    if (refreshToken !== null) this.#refresh.set(refreshToken, code.issued);
    return { accessToken: this.#issue(code.issued), refreshToken, scopes: code.scopes };
  }

  #issue(consent: Consent): string {
    const token = secret('access');
    const lifeMs = this.#rules.lifetimeS === null ? Number.POSITIVE_INFINITY : this.#rules.lifetimeS * 1000;
    this.#access.set(token, { consent, expiresAt: this.#clock.now() + lifeMs });
    return token;
  }
}

function secret(kind: string): string {
  return `${kind}-${randomBytes(18).toString('base64url')}`;
}
