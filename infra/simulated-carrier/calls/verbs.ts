import type { Clock } from '@voice/shared/clock/clock';
import type { LocalVoice } from '@voice/shared/local-voice/local-voice';
import type { Log } from '@voice/shared/log/log';
import type { Line } from '../media/line.js';
import { PlayBuffer } from '../media/play-buffer.js';
import { runStream } from '../media/stream.js';
import type { Verb } from '../twiml/twiml.js';
import type { Conferences } from './conferences.js';
import { sid } from './sid.js';

/** How long the two who were connected by a Dial talk, in ms; they are not simulated any further. */
const BRIDGED_MS = 3000;

export interface VerbContext {
  readonly accountSid: string;
  readonly callSid: string;
  readonly line: Line;
  readonly localVoice: LocalVoice;
  readonly conferences: Conferences;
  readonly clock: Clock;
  readonly log: Log;
}

/** Carries out one TwiML verb; resolves when it is done or the signal aborts. */
export async function runVerb(verb: Verb, context: VerbContext, signal: AbortSignal): Promise<void> {
  switch (verb.verb) {
    case 'stream': {
      const ids = { accountSid: context.accountSid, callSid: context.callSid, streamSid: sid('MZ') };
      const end = await runStream({ ...verb, ids }, context.line, context.log, signal);
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
    case 'dial':
      context.log.info({}, 'the person is connected to another number');
      await context.clock.sleep(BRIDGED_MS, signal).catch(() => {});
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

/** The person hears the buffer for so long; what they say meanwhile is lost. */
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
