/** The server of a MongoDB URI, the database that it names, and its options. */
const PARTS = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(?:\?(.*))?$/;

function partsOf(uri: string): { readonly server: string; readonly options: string } {
  const [, server, options = ''] = PARTS.exec(uri) ?? [];
  if (server === undefined) throw new Error('not a MongoDB URI');
  return { server, options };
}

const joined = (server: string, database: string, options: string): string =>
  `${server}/${database}${options === '' ? '' : `?${options}`}`;

/** Returns the URI of another database of the same server, with the same options. */
export function uriOfDatabase(uri: string, database: string): string {
  const { server, options } = partsOf(uri);
  // What authenticates is the server's, whatever the database.
  const authenticated = server.includes('@') && !/(^|&)authSource=/i.test(options);
  return joined(
    server,
    database,
    [options, ...(authenticated ? ['authSource=admin'] : [])].filter(Boolean).join('&'),
  );
}

/** Returns the URI with one option more. */
export const uriWith = (uri: string, option: string): string =>
  `${uri}${uri.includes('?') ? '&' : '?'}${option}`;
