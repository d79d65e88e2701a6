import type { Clock } from '@voice/shared/clock/clock';
import { testNumber } from '@voice/shared/contracts/test-numbers';
import type { LocalVoice } from '@voice/shared/local-voice/local-voice';
import type { Log } from '@voice/shared/log/log';
import type { Line } from '../media/line.js';
import type { NetworkName } from '../media/network.js';
import { PlayBuffer } from '../media/play-buffer.js';
import { runStream } from '../media/stream.js';
import type { Pickup } from '../people/script.js';
import type { PeopleVoices } from '../people/voices.js';
import type { Verb } from '../twiml/twiml.js';
import type { Conferences } from './conferences.js';
import { sid } from './sid.js';

/** How long the two who were connected by a Dial talk, in ms; they are not simulated any further. */
const BRIDGED_MS = 3000;
/** How long a phone that nobody answers rings, in ms; in truth it is 30 s. */
const PATIENCE_MS = 3000;

/** How a Dial went, in Twilio's words. */
export type DialCallStatus = 'completed' | 'busy' | 'no-answer' | 'failed';

export interface VerbContext {
  readonly accountSid: string;
  readonly callSid: string;
  readonly line: Line;
  readonly people: PeopleVoices;
  readonly localVoice: LocalVoice;
  readonly conferences: Conferences;
  readonly network: NetworkName;
  readonly clock: Clock;
  readonly log: Log;
}

/** Connects the person with the phone of a number; resolves when they have talked, or it is not answered. */
export async function runDial(
  number: string,
  { people, clock, log }: VerbContext,
  signal: AbortSignal,
): Promise<DialCallStatus> {
  const behavior = testNumber(number)?.behavior;
  const pickup: Pickup = behavior
    ? people.scriptOf(behavior).pickup
    : { pickup: 'answers', ringMs: 0, answeredBy: 'human' };
  const wait = (ms: number) => clock.sleep(ms, signal).catch(() => {});
  log.info({ pickup: pickup.pickup }, 'the person is being connected to another number');
  switch (pickup.pickup) {
    case 'answers':
      await wait(pickup.ringMs + BRIDGED_MS);
      return 'completed';
    case 'busy':
      await wait(pickup.ringMs);
      return 'busy';
    case 'never':
      await wait(PATIENCE_MS);
      return 'no-answer';
    case 'fails':
      return 'failed';
  }
}

/** Carries out one TwiML verb but a Dial of a number and a Redirect; resolves when it is done or the signal aborts. */
export async function runVerb(
  verb: Exclude<Verb, { verb: 'dial' | 'redirect' }>,
  context: VerbContext,
  signal: AbortSignal,
): Promise<void> {
  switch (verb.verb) {
    case 'stream': {
      const ids = { accountSid: context.accountSid, callSid: context.callSid, streamSid: sid('MZ') };
      const end = await runStream({ ...verb, ids, network: context.network }, context.line, context, signal);
      if (end.by === 'error')
        context.log.warn({ error_code: end.code, reason: end.message }, 'media stream failed');
      return;
    }
    case 'say':
      await say(verb.text, verb.language, context, signal);
      return;
    case 'pause':
      await listen(new PlayBuffer(), verb.seconds * 1000, context, signal);
      return;
    case 'conference':
      context.log.info({ conference: verb.name }, 'the person joins a conference');
      await context.conferences.join(verb.name, signal);
      return;
    case 'hangup':
      return;
  }
}

async function say(text: string, language: string, context: VerbContext, signal: AbortSignal): Promise<void> {
  const buffer = new PlayBuffer();
  try {
    for await (const { audio } of context.localVoice.speak({ text, language }, signal)) buffer.audio(audio);
  } catch (error) {
    if (!signal.aborted) context.log.warn({ err: String(error) }, 'Say failed');
  }
  await listen(buffer, buffer.waiting / 8, context, signal);
}

/** Plays the buffer to the person for so long; what they say meanwhile is lost. */
async function listen(
  buffer: PlayBuffer,
  ms: number,
  context: VerbContext,
  signal: AbortSignal,
): Promise<void> {
  const disconnect = context.line.connect({
    next: () => buffer.play().frame,
    take: () => {},
    press: () => {},
  });
  await context.clock.sleep(ms, signal).catch(() => {});
  disconnect();
}
