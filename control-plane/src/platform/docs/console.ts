import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Express } from 'express';
import { serveFiles } from '../http/static-page.js';

const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js'];

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>API console</title>
  <link rel="stylesheet" href="/docs/console/swagger-ui.css">
  <link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
</head>
<body>
  <div id="swagger-ui"></div>
  <script src="/docs/console/swagger-ui-bundle.js"></script>
  <script src="/docs/console/start.js"></script>
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

/** `/docs/console`: operations to try with a key, by Swagger UI from this machine. */
export function consoleEndpoints(app: Express): void {
  app.get('/docs/console', (_request, response) => {
    response.set('Content-Security-Policy', POLICY).type('html').send(PAGE);
  });
  app.get('/docs/console/start.js', (_request, response) => {
    response.type('text/javascript').send(START);
  });
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const asset of ASSETS) serveFiles(app, folder, { [`/docs/console/${asset}`]: asset }, '1h');
}
