import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';

const ASSETS = fileURLToPath(new URL('../../assets/dashboard/', import.meta.url));

/** Everything from this origin, and nothing inline: what a script could smuggle in would not run. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** `/dashboard`: one page that signs in by a login link and manages API keys. */
export function dashboardPage(app: Express): void {
  const files = express.static(ASSETS, { index: false, maxAge: 0 });
  const page = (file: string) => (request: express.Request, response: express.Response, next: () => void) => {
    response.locals.route = '/dashboard';
    response.set({
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    });
    request.url = `/${file}`;
    files(request, response, next);
  };
  app.get('/dashboard', page('index.html'));
  for (const file of ['dashboard.css', 'dashboard.js', 'icon.svg']) app.get(`/dashboard/${file}`, page(file));
}
