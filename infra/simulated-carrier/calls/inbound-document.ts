import { parseTwiml, type Verb } from '../twiml/twiml.js';
import { callbackSignature } from './callbacks.js';

/** How long the number's owner may take to say what to do, in ms (Twilio's time-out for TwiML). */
const TIMEOUT_MS = 15_000;

/** Asks the owner of a number that is called what to do: a signed request that is answered with TwiML. */
export async function fetchDocument(
  voiceUrl: string,
  authToken: string,
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly Verb[]> {
  const response = await fetch(voiceUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'user-agent': 'TwilioProxy/1.1',
      'x-twilio-signature': callbackSignature(authToken, voiceUrl, parameters),
    },
    body: new URLSearchParams(parameters).toString(),
    redirect: 'manual',
    signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), signal]),
  });
  const text = await response.text();
  // 11200 is Twilio's "HTTP retrieval failure".
  if (!response.ok) throw new Error(`11200: the voice URL answered ${response.status}`);
  if (!/xml/.test(response.headers.get('content-type') ?? '')) throw new Error('12300: invalid Content-Type');
  return parseTwiml(text);
}
