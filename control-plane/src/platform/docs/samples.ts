import {
  type Description,
  type Operation,
  type Parameter,
  type Placed,
  parametersOf,
} from './description.js';
import { exampleOf } from './example.js';
import { highlighted } from './highlight.js';
import { type Html, html } from './html.js';

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelCase = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The body that a request may have, as its example says. */
function bodyOf(operation: Operation): unknown {
  return operation.requestBody?.content['application/json']?.example;
}

const required = (parameters: readonly Parameter[], place: Parameter['in']) =>
  parameters.filter(
    (parameter) => parameter.in === place && (place === 'path' || parameter.required === true),
  );

/** A shell's word in single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the request as a command for a shell; `$API_URL`, `$API_KEY` and the ids are the reader's own. */
function curl(api: Description, { verb, path, operation }: Placed): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const query = required(parametersOf(api, operation), 'query')
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(api, schema ?? {}) ?? '…'))}`)
    .join('&');
  const lines = [
    `curl${verb === 'GET' ? '' : ` -X ${verb}`} "$API_URL${address}${query === '' ? '' : `?${query}`}"`,
  ];
  if (operation.security?.length !== 0) lines.push('-H "Authorization: Bearer $API_KEY"');
  const body = bodyOf(operation);
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`);
  } else if (operation.requestBody?.content['multipart/form-data'] !== undefined) {
    lines.push('-F file=@contacts.csv');
  }
  return lines.join(' \\\n  ');
}

/** A value as a literal of TypeScript: JSON, with names unquoted where they may be. */
function typescriptLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\']|\\[^"'])*)"/g, "'$1'");
}

/** Returns the call of the TypeScript client; undefined for what only the other samples show. */
function typescript(api: Description, { operation }: Placed): string | undefined {
  const method = operation['x-client-method'];
  if (method === undefined) return undefined;
  const parameters = parametersOf(api, operation);
  const args = required(parameters, 'path').map(({ name }) => camelCase(name));
  const body = bodyOf(operation);
  const query = required(parameters, 'query');
  if (body !== undefined) args.push(typescriptLiteral(body));
  else if (query.length > 0) {
    const values = query.map(({ name, schema }) => [name, exampleOf(api, schema ?? {}) ?? '…']);
    args.push(typescriptLiteral(Object.fromEntries(values)));
  }
  return `const answer = await voice.${method}(${args.join(', ')});`;
}

/** A value as a literal of Python, indented by `indent`. */
function pythonLiteral(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  const deeper = `${indent}    `;
  if (Array.isArray(value)) {
    const items = value.map((item) => `${deeper}${pythonLiteral(item, deeper)},\n`);
    return items.length === 0 ? '[]' : `[\n${items.join('')}${indent}]`;
  }
  if (typeof value === 'object') {
    const items = Object.entries(value as object).map(
      ([name, item]) => `${deeper}${JSON.stringify(name)}: ${pythonLiteral(item, deeper)},\n`,
    );
    return items.length === 0 ? '{}' : `{\n${items.join('')}${indent}}`;
  }
  return JSON.stringify(value);
}

/** Returns the call of the Python client; undefined for what only the other samples show. */
function python(api: Description, { operation }: Placed): string | undefined {
  const method = operation['x-client-method'];
  if (method === undefined) return undefined;
  const parameters = parametersOf(api, operation);
  const args = required(parameters, 'path').map(({ name }) => snakeCase(name));
  const body = bodyOf(operation);
  const named =
    typeof body === 'object' && body !== null
      ? Object.entries(body)
      : required(parameters, 'query').map(
          ({ name, schema }) => [name, exampleOf(api, schema ?? {}) ?? '…'] as const,
        );
  args.push(...named.map(([name, value]) => `${name}=${pythonLiteral(value, '    ')}`));
  const call = `answer = voice.${snakeCase(method)}`;
  return named.length === 0
    ? `${call}(${args.join(', ')})`
    : `${call}(\n${args.map((arg) => `    ${arg},\n`).join('')})`;
}

/** Renders an operation's request in each language; docs.js shows the chosen one. */
export function samples(api: Description, placed: Placed): Html {
  const written = [
    ['Shell', 'sh', curl(api, placed)],
    ['TypeScript', 'ts', typescript(api, placed)],
    ['Python', 'python', python(api, placed)],
  ] as const;
  return html`<div class="samples">${written.map(([name, language, code]) =>
    code === undefined
      ? null
      : html`<div data-language="${name}"><h4>${name}</h4>${highlighted(code, language)}</div>`,
  )}</div>`;
}
