import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Log } from '@voice/shared/log/log';
import express, { type Express, type Request, type Response } from 'express';
import { writeError } from './wire-answers.js';

interface DocsOptions {
  /** Made when first asked for, since the service's own address is known only when it listens. */
  readonly document: () => Record<string, unknown>;
  readonly admit: (request: Request, response: Response) => Promise<void>;
  readonly log: Log;
}

const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-16x16.png', 'favicon-32x32.png'];

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>API reference</title>
  <link rel="stylesheet" href="/docs/swagger-ui.css">
  <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
  <div id="swagger-ui"></div>
  <script src="/docs/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`;

/** Requests of "Try it out" go to where the page came from: by another of the service's names they are refused. */
const START = `fetch('/v1/openapi.json')
  .then((response) => response.json())
  .then((spec) => {
    window.ui = SwaggerUIBundle({
      spec: { ...spec, servers: [{ url: location.origin }] },
      dom_id: '#swagger-ui',
      deepLinking: true,
      validatorUrl: null,
      presets: [SwaggerUIBundle.presets.apis],
      layout: 'BaseLayout',
    });
  });
`;

/** Everything from this origin: the page works without any other network. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** The description as it is sent, by content coding. */
type Description = Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>;

async function compressed(document: Record<string, unknown>): Promise<Description> {
  const identity = Buffer.from(JSON.stringify(document));
  const [br, zipped] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)]);
  return { br, gzip: zipped, identity };
}

/** Sends it in the smallest coding that the client takes (RFC 9110, section 12.5.3); as it is where it takes none. */
function sendCompressed(request: Request, response: Response, description: Description): void {
  const coding = request.acceptsEncodings('br', 'gzip', 'identity');
  response.vary('Accept-Encoding').type('json');
  if (coding === 'br' || coding === 'gzip')
    response.set('Content-Encoding', coding).send(description[coding]);
  else response.send(description.identity);
}

/** `/v1/openapi.json`, and `/docs`: a browsable view of it from assets on this machine. */
export function docsEndpoints(app: Express, { document, admit, log }: DocsOptions): void {
  let described: Promise<Description> | undefined;
  app.get('/v1/openapi.json', async (request, response) => {
    response.locals.route = '/v1/openapi.json';
    try {
      await admit(request, response);
      described ??= compressed(document());
      sendCompressed(request, response, await described);
    } catch (error) {
      writeError(response, error, log);
    }
  });
  app.get('/docs', (_request, response) => {
    response.set('Content-Security-Policy', POLICY).type('html').send(PAGE);
  });
  app.get('/docs/start.js', (_request, response) => {
    response.type('text/javascript').send(START);
  });
  const assets = express.static(
    dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')),
    { index: false, maxAge: '1h' },
  );
  for (const asset of ASSETS) {
    app.get(`/docs/${asset}`, (request, response, next) => {
      request.url = `/${asset}`;
      assets(request, response, next);
    });
  }
}
