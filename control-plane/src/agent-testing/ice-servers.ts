import { createHmac } from 'node:crypto';
import type { IceServer } from '@voice/shared/contracts/webrtc';
import { type IceSettings, lacksCredential } from '../platform/settings/ice.js';

/** The longest call, and the time in which a session begins. In ms. */
const CREDENTIAL_LIFE_MS = 4.5 * 3600 * 1000;

/**
 * Returns the servers for one session. A TURN server without a credential of its own gets one that ends: the user is
 * the time of its end, in s, and the session; the password is their HMAC-SHA1 under the secret, in Base64
 * (draft-uberti-behave-turn-rest-00 §2.2; coturn's `use-auth-secret`). Pure.
 */
export function iceServersFor(
  { servers, turnSecret }: IceSettings,
  sessionId: string,
  now: number,
): IceServer[] {
  return servers.map((server) => {
    if (turnSecret === undefined || !lacksCredential(server)) return server;
    const username = `${Math.floor((now + CREDENTIAL_LIFE_MS) / 1000)}:${sessionId}`;
    return {
      ...server,
      username,
      credential: createHmac('sha1', turnSecret).update(username).digest('base64'),
    };
  });
}
