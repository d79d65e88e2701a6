import { Pages } from './pages.js';
import type { HttpRequest, Transport } from './transport.js';

/** Returns a path whose ids cannot become other paths. */
export function pathOf(texts: TemplateStringsArray, ...ids: readonly string[]): string {
  return texts.reduce((path, text, index) => {
    const id = ids[index - 1] ?? '';
    if (id === '') throw new TypeError(`An id is missing in ${texts.join('{id}')}.`);
    // What parses addresses takes these for steps, however they are written.
    if (id === '.' || id === '..') throw new TypeError(`'${id}' is no id in ${texts.join('{id}')}.`);
    return `${path}${encodeURIComponent(id)}${text}`;
  });
}

/** What the operations of one part of the API stand on. */
export abstract class Resource {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  protected async request<Result>(verb: string, path: string, request: HttpRequest): Promise<Result> {
    return (await this.transport.json(verb, path, request)) as Result;
  }

  protected pages<Item, Page>(
    path: string,
    items: string,
    by: 'cursor' | 'offset',
    request: HttpRequest,
  ): Pages<Item, Page> {
    return new Pages(
      async (position) =>
        (await this.transport.json('GET', path, {
          ...request,
          query: { ...request.query, ...position },
        })) as Page,
      items,
      by,
    );
  }
}
