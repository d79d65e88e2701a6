import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import express, { type Express, type Request, type Response } from 'express';

/** Where `npm run build` puts the dashboard (control-plane/dashboard), from wherever in the control plane this runs. */
const DIST = join(dirname(findPackageJSON(import.meta.url)!), 'dashboard/dist');
const PATH = '/dashboard';
/** Names below `/dashboard/assets` carry a hash of the content: what was fetched once never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Everything from this origin, and nothing inline: what a script could smuggle in would not run. Recordings are played
 * from memory (`blob:`), because they are fetched with the mode in a header.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; media-src 'self' blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const CODINGS = { br: '.br', gzip: '.gz', identity: '' } as const;

/**
 * Serves the dashboard: its files as they were compressed when it was built, and its one page at every address below
 * `/dashboard`, where the page itself chooses what to show. `/` leads there.
 */
export function dashboardPage(app: Express): void {
  app.get('/', (_request, response) => {
    response.locals.route = '/';
    response.redirect(302, PATH);
  });
  const files = express.static(join(DIST, 'assets'), { index: false, cacheControl: false });
  app.get(`${PATH}/assets/:file`, (request, response, next) => {
    prepare(response, `${PATH}/assets`);
    const { file } = request.params;
    const coding = codingOf(request, file);
    response.vary('Accept-Encoding').type(file).set('Cache-Control', FOR_EVER);
    if (coding !== 'identity') response.set('Content-Encoding', coding);
    request.url = `/${encodeURIComponent(file)}${CODINGS[coding]}`;
    files(request, response, () => {
      // No such file: an error must not be kept for ever.
      response.removeHeader('Cache-Control');
      response.removeHeader('Content-Encoding');
      next();
    });
  });
  app.get([PATH, `${PATH}/{*page}`], (request, response, next) => {
    // A route of the API that begins in the same way.
    if (/^\/dashboard\/session(\/|$)/.test(request.path) || request.path.startsWith(`${PATH}/assets/`)) {
      next();
      return;
    }
    prepare(response, PATH);
    response.set('Cache-Control', 'no-cache');
    response.sendFile('index.html', { root: DIST, cacheControl: false, etag: true }, (error) => {
      if (error === undefined || response.headersSent) return;
      response.status(503).type('text').send('The dashboard is not built. Run npm run build.\n');
    });
  });
}

function prepare(response: Response, route: string): void {
  response.locals.route = route;
  response.set({
    'Content-Security-Policy': POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Permissions-Policy': 'microphone=(self), camera=()',
  });
}

/** Chooses the smallest coding that the browser takes and the build has made (RFC 9110, section 12.5.3). */
function codingOf(request: Request, file: string): keyof typeof CODINGS {
  const accepted = request.acceptsEncodings('br', 'gzip', 'identity');
  const coding = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
  return existsSync(join(DIST, 'assets', `${file.replaceAll('/', '')}${CODINGS[coding]}`))
    ? coding
    : 'identity';
}
