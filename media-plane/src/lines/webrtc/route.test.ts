import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { systemClock } from '@voice/shared/clock/clock';
import type { WebRtcAnswer, WebRtcOffer } from '@voice/shared/contracts/webrtc';
import { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { afterEach, describe, expect, it } from 'vitest';
import { webRtcNotAvailable } from './not-available.js';
import { addWebRtcRoute } from './route.js';

const secret = 'a secret of the planes';
const path = '/control/calls/019a0000-0000-7000-8000-000000000001/webrtc';
const signed = (withSecret: string, body: string) =>
  interPlaneAuthorization({ secret: withSecret, method: 'POST', path, body, now: Date.now() });
const sockets: us_listen_socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) us_listen_socket_close(socket);
});

async function served(answerOffer: (callId: string, offer: WebRtcOffer) => Promise<WebRtcAnswer>) {
  const app = App();
  const verifier = new InterPlaneVerifier({ secret, clock: systemClock });
  addWebRtcRoute(app, { lines: { answerOffer }, verifier, onError: () => {} });
  const port = await new Promise<number>((resolve) => {
    app.listen(0, (socket) => {
      if (!socket) return;
      sockets.push(socket);
      resolve(us_socket_local_port(socket));
    });
  });
  return async (value: unknown, authorization?: string) => {
    const body = typeof value === 'string' ? value : JSON.stringify(value);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { authorization: authorization ?? signed(secret, body) },
      body,
    });
    return { status: response.status, body: await response.json() };
  };
}

const offer = { sdp: 'v=0', type: 'offer' } as const;

describe('the route of offers', () => {
  it('gives the answer to the offer of a call', async () => {
    const post = await served(async (callId, { sdp }) => ({
      sdp: `${sdp} for ${callId}`,
      type: 'answer',
      pc_id: 'pc',
    }));
    expect(await post(offer)).toEqual({
      status: 200,
      body: { sdp: 'v=0 for 019a0000-0000-7000-8000-000000000001', type: 'answer', pc_id: 'pc' },
    });
  });

  it('says why there is none, and when there may be', async () => {
    const post = await served(async () => {
      throw webRtcNotAvailable('it is being built.', 42);
    });
    expect(await post(offer)).toEqual({
      status: 503,
      body: {
        detail: 'WebRTC is not available: it is being built.',
        code: 'webrtc_not_available',
        ready_in_seconds: 42,
      },
    });
  });

  it.each<[string, unknown, string | undefined, number, string]>([
    ['an unsigned one', offer, '', 401, 'invalid_inter_plane_token'],
    [
      'one signed by a stranger',
      offer,
      signed('another secret entirely', JSON.stringify(offer)),
      401,
      'invalid_inter_plane_token',
    ],
    ['no JSON', '{', undefined, 400, 'malformed_json'],
    ['an answer', { ...offer, type: 'answer' }, undefined, 422, 'validation_error'],
    ['too long an offer', { ...offer, sdp: 'x'.repeat(64_001) }, undefined, 422, 'validation_error'],
  ])('refuses %s', async (_what, body, authorization, status, code) => {
    const post = await served(() => expect.unreachable());
    expect(await post(body, authorization)).toMatchObject({ status, body: { code } });
  });
});
