import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Log } from '@voice/shared/log/log';
import type { Express, Request, Response } from 'express';
import { OWN_ORIGIN_POLICY, serveFiles } from '../http/static-page.js';
import { writeError } from '../http/wire-answers.js';
import { type Compressed, compressed, sendCompressed } from './compressed.js';
import { consoleEndpoints } from './console.js';
import type { Description } from './description.js';
import { type Site, siteOf } from './site.js';

interface DocsOptions {
  /** Made when first asked for, since the service's own address is known only when it listens. */
  readonly document: () => Record<string, unknown>;
  readonly admit: (request: Request, response: Response) => Promise<void>;
  readonly log: Log;
}

const FILES = { docs: ['docs.css', 'docs.js', 'theme.js'], common: ['theme.css', 'icon.svg'] } as const;

/** `/v1/openapi.json`; `/docs`: guides, the reference and a search over both; `/docs/console`: operations to try. */
export function docsEndpoints(app: Express, { document, admit, log }: DocsOptions): void {
  let described: Promise<Compressed> | undefined;
  let rendered: Site | undefined;
  const texts = new Map<string, Promise<Compressed>>();

  app.get('/v1/openapi.json', async (request, response) => {
    response.locals.route = '/v1/openapi.json';
    try {
      await admit(request, response);
      described ??= compressed(JSON.stringify(document()));
      sendCompressed(request, response.type('json'), await described);
    } catch (error) {
      writeError(response, error, log);
    }
  });

  const site = () => {
    rendered ??= siteOf(document() as unknown as Description);
    return rendered;
  };
  /** Answers with a text that is made and compressed once. */
  const send = async (request: Request, response: Response, key: string, text: () => string) => {
    try {
      if (!texts.has(key)) texts.set(key, compressed(text()));
      sendCompressed(request, response, await texts.get(key)!);
    } catch (error) {
      writeError(response, error, log);
    }
  };
  const sendPage = (request: Request, response: Response) => {
    response.locals.route = '/docs';
    response
      .set({
        'Content-Security-Policy': OWN_ORIGIN_POLICY,
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-cache',
      })
      .type('html');
    const found = site().pages.get(request.path.replace(/(?<=.)\/$/, ''));
    // All that is not there is one text: what is kept does not grow by what is asked for.
    if (found === undefined) return send(request, response.status(404), '', site().notFound);
    return send(request, response, request.path, found);
  };
  app.get(['/docs', '/docs/guides/:name', '/docs/reference/:slug'], sendPage);
  app.get('/docs/search.json', (request, response) =>
    send(request, response.set('Cache-Control', 'no-cache').type('json'), 'search', () =>
      JSON.stringify(site().search),
    ),
  );
  for (const [folder, names] of Object.entries(FILES)) {
    for (const name of names) serveFiles(app, folder, { [`/docs/${name}`]: name });
  }
  const search = dirname(createRequire(import.meta.url).resolve('minisearch'));
  serveFiles(app, join(search, '../es'), { '/docs/minisearch.js': 'index.js' });
  consoleEndpoints(app);
}
