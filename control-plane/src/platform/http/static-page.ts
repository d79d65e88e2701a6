import { findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import express, { type Express, type Request, type Response } from 'express';

/** Everything from this origin, and nothing inline: what a script could smuggle in would not run. */
export const OWN_ORIGIN_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** From wherever in the control plane this runs. */
const ASSETS = join(dirname(findPackageJSON(import.meta.url)!), 'assets');
/** Files that every page has, in `control-plane/assets/common`. */
const COMMON_FILES = ['theme.css', 'icon.svg'];

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

function filesIn(folder: string): express.RequestHandler {
  return express.static(join(ASSETS, folder), { index: false, maxAge: 0 });
}

/** Sends files of a folder at addresses of their own; a name within `control-plane/assets`, or an absolute path. */
export function serveFiles(
  app: Express,
  folder: string,
  addresses: Readonly<Record<`/${string}`, string>>,
  maxAge: string | number = 0,
): void {
  const serve = express.static(resolve(ASSETS, folder), { index: false, maxAge });
  for (const [address, file] of Object.entries(addresses)) {
    app.get(address, (request, response, next) => {
      request.url = `/${file}`;
      serve(request, response, next);
    });
  }
}

/** Serves one page and its files, under a policy that forbids everything else. */
export function servePage(app: Express, { path, folder, files, json = {}, permissions }: StaticPage): void {
  const [own, common] = [filesIn(folder), filesIn('common')];
  const prepare = (response: Response) => {
    response.locals.route = path;
    response.set({
      'Content-Security-Policy': OWN_ORIGIN_POLICY,
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      ...(permissions === undefined ? {} : { 'Permissions-Policy': permissions }),
    });
  };
  const serve =
    (served: express.RequestHandler, file: string) =>
    (request: Request, response: Response, next: () => void) => {
      prepare(response);
      request.url = `/${file}`;
      served(request, response, next);
    };
  app.get(path, serve(own, 'index.html'));
  for (const file of files) app.get(`${path}/${file}`, serve(own, file));
  for (const file of COMMON_FILES) app.get(`${path}/${file}`, serve(common, file));
  for (const [name, value] of Object.entries(json)) {
    app.get(`${path}/${name}`, (_request, response) => {
      prepare(response);
      response.json(value);
    });
  }
}
