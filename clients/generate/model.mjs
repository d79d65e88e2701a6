import { NOT_FOR_CLIENTS, SURFACE, WRITTEN_BY_HAND } from './surface.mjs';

/**
 * @typedef {Record<string, any>} Schema a JSON Schema of the description
 * @typedef {{ name: string, required: boolean, schema: Schema, description: string }} Parameter
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} resource in camel case
 * @property {string} method in camel case
 * @property {string} verb GET, POST, …
 * @property {string} path with `{names}`
 * @property {string} summary
 * @property {string[]} pathParameters
 * @property {Parameter[]} query without `cursor` and `offset`, where the client turns the pages
 * @property {string | undefined} body the schema's name
 * @property {boolean} bodyRequired
 * @property {Schema | undefined} result nothing where the answer is empty
 * @property {{ items: string, by: 'cursor' | 'offset', item: Schema } | undefined} pages
 * @property {boolean} acceptsMode whether it takes X-Sandbox
 */

/** What `cursor` and `offset` do is done by iterating. */
const PAGING = new Set(['cursor', 'offset']);
const VERBS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Reads what the clients need out of an OpenAPI description. Throws when an operation has no place in them.
 * @param {Record<string, any>} description
 * @returns {{ operations: Operation[], schemas: Record<string, Schema>, version: string }}
 */
export function modelOf(description) {
  const schemas = description.components.schemas;
  /** @param {any} value */
  const resolved = (value) =>
    value.$ref
      ? value.$ref
          .slice(2)
          .split('/')
          .reduce((at, key) => at[key], description)
      : value;

  const operations = [];
  const homeless = [];
  for (const [path, item] of Object.entries(description.paths)) {
    for (const verb of VERBS) {
      const operation = item[verb];
      if (operation === undefined) continue;
      const id = operation.operationId;
      if (WRITTEN_BY_HAND.has(id) || NOT_FOR_CLIENTS.has(id)) continue;
      const place = SURFACE[id];
      if (place === undefined) {
        homeless.push(id);
        continue;
      }
      const [resource, method] = place.split('.');
      const parameters = (operation.parameters ?? []).map(resolved);
      const result = resultOf(operation);
      const query = parameters.filter((parameter) => parameter.in === 'query');
      const pages = pagesOf(query, result, schemas);
      operations.push({
        id,
        resource,
        method,
        verb: verb.toUpperCase(),
        path,
        summary: operation.summary,
        pathParameters: parameters
          .filter((parameter) => parameter.in === 'path')
          .map((parameter) => parameter.name),
        query: query
          .filter((parameter) => pages === undefined || !PAGING.has(parameter.name))
          .map(({ name, required, schema, description: text }) => ({
            name,
            required: required === true,
            schema,
            description: text ?? '',
          })),
        body: bodyOf(operation),
        bodyRequired: operation.requestBody?.required === true,
        result,
        pages,
        acceptsMode: parameters.some((parameter) => parameter.name === 'X-Sandbox'),
      });
    }
  }
  if (homeless.length > 0) {
    throw new Error(
      `No place in the clients for: ${homeless.join(', ')}. Name them in control-plane/src/platform/http/openapi/client-methods.ts.`,
    );
  }
  const known = new Set(operations.map((operation) => operation.id));
  const gone = Object.keys(SURFACE).filter((id) => !known.has(id));
  if (gone.length > 0) throw new Error(`client-methods.ts names what the API has not: ${gone}.`);
  return { operations, schemas, version: description.info.version };
}

function bodyOf(operation) {
  const schema = operation.requestBody?.content['application/json']?.schema;
  return schema?.$ref?.split('/').pop();
}

/** The answers of success, as one schema; they differ where a request may be answered later (202). */
function resultOf(operation) {
  const schemas = [];
  for (const [status, response] of Object.entries(operation.responses)) {
    const schema = response.content?.['application/json']?.schema;
    if (!status.startsWith('2') || schema === undefined) continue;
    if (!schemas.some((known) => JSON.stringify(known) === JSON.stringify(schema))) schemas.push(schema);
  }
  return schemas.length > 1 ? { anyOf: schemas } : schemas[0];
}

function pagesOf(query, result, schemas) {
  const names = new Set(query.map((parameter) => parameter.name));
  const page = schemas[result?.$ref?.split('/').pop()];
  if (page?.properties?.has_more === undefined) return undefined;
  const by =
    names.has('cursor') && page.properties.next_cursor
      ? 'cursor'
      : names.has('offset')
        ? 'offset'
        : undefined;
  const [items, list] =
    Object.entries(page.properties).find(([, property]) => property.type === 'array') ?? [];
  return by === undefined || items === undefined ? undefined : { items, by, item: list.items };
}

/**
 * Returns a camel-case name in snake case.
 * @param {string} name
 */
export function snakeCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Returns a camel-case or snake-case name as that of a class.
 * @param {string} name
 */
export function className(name) {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
}

/**
 * Returns operations by resource, in the order of the surface.
 * @param {Operation[]} operations
 * @returns {Map<string, Operation[]>}
 */
export function byResource(operations) {
  const order = Object.keys(SURFACE);
  const sorted = operations.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  return Map.groupBy(sorted, (operation) => operation.resource);
}
