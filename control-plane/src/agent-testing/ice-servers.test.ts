import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { iceServersFor } from './ice-servers.js';

const NOW = Date.UTC(2026, 0, 5, 12);
const SECRET = 'shared-with-coturn';
const SESSION = '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f';
const stun = { urls: 'stun:stun.example.com' };
const turn = { urls: ['stun:turn.example.com', 'turn:turn.example.com:3478?transport=tcp'] };
const kept = { urls: 'turns:vendor.example.com', username: 'u', credential: 'c' };

describe('the STUN and TURN servers of a session', () => {
  const [first, relay, third] = iceServersFor(
    { servers: [stun, turn, kept], turnSecret: SECRET },
    SESSION,
    NOW,
  );

  it('are as they were where they need no credential, or have their own', () => {
    expect([first, third]).toEqual([stun, kept]);
  });

  it('have a credential that ends after the longest call, and that the server computes by itself', () => {
    const [until, name] = relay!.username!.split(':');
    expect(name).toBe(SESSION);
    expect(Number(until) - NOW / 1000).toBe(16_200);
    // As coturn does it from what it is shown.
    expect(relay!.credential).toBe(createHmac('sha1', SECRET).update(relay!.username!).digest('base64'));
    expect(relay!.urls).toEqual(turn.urls);
  });

  it('differ from session to session, and do not hold the secret', () => {
    const [, other] = iceServersFor({ servers: [stun, turn], turnSecret: SECRET }, 'another', NOW);
    expect(other!.credential).not.toBe(relay!.credential);
    expect(JSON.stringify(other)).not.toContain(SECRET);
  });
});
