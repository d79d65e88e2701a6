/**
 * Yields the data of server-sent events (WHATWG HTML, 9.2) as their bytes come. One event's data is one line here, as
 * every vendor of ours sends it; names and comments are left out.
 */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith('data:')) yield line.slice(line.startsWith('data: ') ? 6 : 5);
    }
  }
}
