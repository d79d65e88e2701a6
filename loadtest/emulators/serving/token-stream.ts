import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '@voice/shared/clock/clock';

/** How fast an emulated language model is. */
export interface TokenPace {
  /** From the whole request to the first token, in ms. */
  readonly firstTokenDelayMs?: number;
  /** Between tokens, in ms. */
  readonly tokenDelayMs?: number;
}

/** What goes wrong with streamed answers; all off by default, and changeable while it runs. */
export interface TokenStreamFaults {
  /** Breaks off this many answers after `cutAfterTokens` tokens: the connection is torn. */
  cutNext: number;
  /** Sends an error event in this many answers after `cutAfterTokens` tokens. */
  streamErrorNext: number;
  /** Falls silent in this many answers after `cutAfterTokens` tokens: the connection stays. */
  freezeNext: number;
  /** Sends what is no JSON in this many answers after `cutAfterTokens` tokens. */
  garbageNext: number;
  cutAfterTokens: number;
  /** Takes this many requests and never answers. */
  stallNext: number;
}

export function noTokenStreamFaults(): TokenStreamFaults {
  return { cutNext: 0, streamErrorNext: 0, freezeNext: 0, garbageNext: 0, cutAfterTokens: 2, stallNext: 0 };
}

const FAULTS = ['cut', 'streamError', 'freeze', 'garbage'] as const;
export type TokenStreamFault = (typeof FAULTS)[number];

/** Takes the fault of the next streamed answer; undefined when none is left. */
export function takeTokenStreamFault(faults: TokenStreamFaults): TokenStreamFault | undefined {
  const fault = FAULTS.find((name) => faults[`${name}Next`] > 0);
  if (fault) faults[`${fault}Next`] -= 1;
  return fault;
}

/** Holds a request that is never answered until its client goes away; passes on the others. */
export async function stallIfFaulty(
  faults: TokenStreamFaults,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  if (faults.stallNext <= 0) return;
  faults.stallNext -= 1;
  await once(response, 'close');
  gone.throwIfAborted();
}

/** A piece of a streamed answer, as it stands in the body. */
interface Piece {
  readonly text: string;
  readonly isToken: boolean;
}

interface TokenStream {
  readonly pieces: Iterable<Piece>;
  readonly pace: TokenPace;
  readonly clock: Clock;
  /** What to end it with after `afterTokens`, in place of the rest; undefined: nothing goes wrong. */
  readonly breakOff: BreakOff | undefined;
  readonly afterTokens: number;
}

/** The last text of a body, or how its connection ends. */
type BreakOff = { readonly lastText: string } | 'cut' | 'freeze';

/** Says how a fault shows; `errorText` is the vendor's event of an error. */
export function breakOffOf(fault: TokenStreamFault, errorText: string): BreakOff {
  if (fault === 'streamError') return { lastText: errorText };
  if (fault === 'garbage') return { lastText: 'data: <html>502 Bad Gateway</html>\n\n' };
  return fault;
}

/** Streams an answer as server-sent events, without its end. Returns whether all of it was sent. */
export async function streamTokens(
  response: ServerResponse,
  { pieces, pace, clock, breakOff, afterTokens }: TokenStream,
  gone: AbortSignal,
): Promise<boolean> {
  const { firstTokenDelayMs = 0, tokenDelayMs = 0 } = pace;
  let tokens = 0;
  await delay(clock, firstTokenDelayMs, gone);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  for (const { text, isToken } of pieces) {
    if (breakOff !== undefined && tokens >= afterTokens) {
      await endBy(breakOff, response);
      return false;
    }
    if (isToken && tokens++ > 0) await delay(clock, tokenDelayMs, gone);
    response.write(text);
  }
  return true;
}

async function endBy(breakOff: BreakOff, response: ServerResponse): Promise<void> {
  if (breakOff === 'freeze') await once(response, 'close');
  else if (breakOff === 'cut') response.destroy();
  else response.end(breakOff.lastText);
}

/** Waits so many ms; 0 does not wait. Throws the signal's reason when the client is gone. */
export async function delay(clock: Clock, ms: number, gone: AbortSignal): Promise<void> {
  if (ms > 0) await clock.sleep(ms, gone);
  gone.throwIfAborted();
}
