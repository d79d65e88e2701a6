/** One server-sent event. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  /** What to come back with; null where the event has none. */
  readonly id: string | null;
}

/** Takes whole events off the front of what has come so far (WHATWG HTML, section 9.2.6); `rest` is not whole yet. */
export function takeEvents(text: string): {
  readonly events: readonly ServerSentEvent[];
  readonly rest: string;
} {
  const blocks = text.replaceAll(/\r\n?/g, '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  return { events: blocks.flatMap((block) => eventOf(block) ?? []), rest };
}

function eventOf(block: string): ServerSentEvent | null {
  let event = 'message';
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    // A comment, as which the connection is kept.
    if (at === 0) continue;
    const field = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
  }
  return data.length === 0 ? null : { event, data: data.join('\n'), id };
}

/** Reads events from an answer as they come. */
export async function* readEvents(answer: Response): AsyncGenerator<ServerSentEvent> {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const { events, rest } = takeEvents(text + value);
      text = rest;
      yield* events;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
