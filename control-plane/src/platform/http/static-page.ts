import { fileURLToPath } from 'node:url';
import express, { type Express, type Request, type Response } from 'express';

/** Everything from this origin, and nothing inline: what a script could smuggle in would not run. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

export interface StaticPage {
  /** Where it is served: its `index.html` there, the other files below. */
  readonly path: `/${string}`;
  /** Its folder in `control-plane/assets`. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Beside the files. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** What the page may use of the browser: a Permissions-Policy. */
  readonly permissions?: string;
}

/** Serves one page and its files, under a policy that forbids everything else. */
export function servePage(app: Express, { path, folder, files, json = {}, permissions }: StaticPage): void {
  const root = fileURLToPath(new URL(`../../../assets/${folder}/`, import.meta.url));
  const served = express.static(root, { index: false, maxAge: 0 });
  const prepare = (response: Response) => {
    response.locals.route = path;
    response.set({
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      ...(permissions === undefined ? {} : { 'Permissions-Policy': permissions }),
    });
  };
  const page = (file: string) => (request: Request, response: Response, next: () => void) => {
    prepare(response);
    request.url = `/${file}`;
    served(request, response, next);
  };
  app.get(path, page('index.html'));
  for (const file of files) app.get(`${path}/${file}`, page(file));
  for (const [name, value] of Object.entries(json)) {
    app.get(`${path}/${name}`, (_request, response) => {
      prepare(response);
      response.json(value);
    });
  }
}
