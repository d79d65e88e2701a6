import { z } from 'zod';
import { type IceServer, iceServer } from './webrtc.js';

const MAX_SERVERS = 10;
const FORM = '[{"urls":"turn:turn.example.com:3478","username":"…","credential":"…"}]';

const serverUrl = z
  .string()
  .regex(/^(stuns?|turns?):\S+$/, 'expected a URL that begins with stun:, stuns:, turn: or turns:');
const servers = z
  .array(
    iceServer.extend({ urls: z.union([serverUrl, z.array(serverUrl).min(1).max(MAX_SERVERS)]) }).strict(),
  )
  .max(MAX_SERVERS);

/** Parses the STUN and TURN servers of `ICE_SERVERS`, a JSON list; the error does not repeat their credentials. */
export const iceServers = z.string().transform((text, context): IceServer[] => {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    context.addIssue(`expected a JSON list such as ${FORM}`);
    return z.NEVER;
  }
  const parsed = servers.safeParse(list);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  context.addIssue(`expected a JSON list such as ${FORM}; ${place}${issue?.message}`);
  return z.NEVER;
});
