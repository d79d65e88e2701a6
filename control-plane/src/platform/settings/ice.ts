import { iceServers } from '@voice/shared/contracts/ice-servers';
import type { IceServer } from '@voice/shared/contracts/webrtc';
import { ConfigurationError } from '@voice/shared/environment/environment';
import { optionalText, secret } from '@voice/shared/environment/parsers';

/** The part of the environment that says how browsers get through; read by `config.ts` with the rest. */
export const iceVariables = {
  /** JSON list of RTCIceServer that WebRTC testers are given. */
  ICE_SERVERS: iceServers.default([]),
  /** Shared with the TURN servers of that list that have no credential there: each session gets one of its own. */
  TURN_SECRET: optionalText.pipe(secret(16, 'make one with openssl rand -hex 32').optional()),
};

/** The installation's STUN and TURN servers. */
export interface IceSettings {
  readonly servers: readonly IceServer[];
  /** Undefined only where each server that needs a credential has one. */
  readonly turnSecret: string | undefined;
}

/** Checks whether browsers refuse a server as it stands: one that is TURN and has no credential. */
export const lacksCredential = ({ urls, credential }: IceServer): boolean =>
  credential === undefined && [urls].flat().some((url) => /^turns?:/.test(url));

/** Gives the settings that parsed variables hold. Throws a `ConfigurationError` where a server lacks a credential. */
export function iceSettings(vars: {
  readonly ICE_SERVERS: readonly IceServer[];
  readonly TURN_SECRET?: string | undefined;
}): IceSettings {
  const { ICE_SERVERS: servers, TURN_SECRET: turnSecret } = vars;
  if (turnSecret === undefined && servers.some(lacksCredential)) {
    throw new ConfigurationError(
      'ICE_SERVERS: a TURN server needs username and credential, or TURN_SECRET: browsers take none without',
    );
  }
  return { servers, turnSecret };
}
