/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Reads a body as server-sent events (HTML, "Server-sent events"). Comments are given as events without data, so that
 * a reader knows that the stream lives.
 */
export async function* serverSentEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield parsedBlock(block);
  }
}

function parsedBlock(block: string): ServerSentEvent {
  let event: string | undefined;
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    // By its first colon, whatever follows: a pattern's dot stops at U+2028, which JSON leaves as it is.
    const at = line.indexOf(':');
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    else if (name === 'id') id = value;
    else if (name === 'data') data.push(value);
  }
  return { event, id, data: data.join('\n') };
}
