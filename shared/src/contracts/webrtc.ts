import { z } from 'zod';

/** A STUN or TURN server as browsers take it (RTCIceServer). */
export const iceServer = z
  .object({
    urls: z.union([z.string(), z.array(z.string()).max(10)]),
    username: z.string().optional(),
    credential: z.string().optional(),
  })
  .meta({ title: 'IceServer' });
export type IceServer = z.infer<typeof iceServer>;

/**
 * The tester's offer, `POST /api/v1/test-sessions/{id}/offer`, forwarded to the worker as it is:
 * `POST /control/calls/{call_id}/webrtc`, authenticated as all that goes between the planes. The first one
 * starts the call. With `pc_id` of an earlier answer it renegotiates that connection (also an ICE restart); with
 * `restart_pc` the connection is made anew and the call goes on.
 */
export const webRtcOffer = z.object({
  sdp: z.string().min(1).max(64_000),
  type: z.literal('offer'),
  pc_id: z.string().max(128).optional(),
  restart_pc: z.boolean().optional(),
  ice_servers: z.array(iceServer).max(10).optional(),
});
export type WebRtcOffer = z.infer<typeof webRtcOffer>;

/** 200 of the worker, given to the tester unchanged. */
export const webRtcAnswer = z.object({ sdp: z.string(), type: z.literal('answer'), pc_id: z.string() });
export type WebRtcAnswer = z.infer<typeof webRtcAnswer>;
