import { byResource, className, snakeCase } from './model.mjs';
import { isPythonName, pythonName } from './names.mjs';

const HEADER =
  '# Generated from the OpenAPI description by `npm run clients`. Change the API or clients/generate, not this.\n';
/** What a method's parameters and body name besides. */
const NAMED_IN_METHODS = ['self', 'request_options', 'body', 'query', 'path_of', 'dict'];

/**
 * Returns the type of a schema in Python.
 * @param {import('./model.mjs').Schema} schema
 * @param {string} [prefix] before the name of another schema
 * @returns {string}
 */
function pythonType(schema, prefix = '') {
  if (schema.$ref) return prefix + schema.$ref.split('/').pop();
  if ('const' in schema) return `Literal[${pythonLiteral(schema.const)}]`;
  if (schema.enum) {
    const values = schema.enum.filter((value) => value !== null).map(pythonLiteral);
    return `Literal[${values.join(', ')}]${schema.enum.includes(null) ? ' | None' : ''}`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map((choice) => pythonType(choice, prefix)));
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => pythonType({ ...schema, type }, prefix)));
  }
  switch (schema.type) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `list[${pythonType(schema.items ?? {}, prefix)}]`;
    case 'object': {
      const others = schema.additionalProperties;
      const plain = !schema.properties && others && typeof others === 'object';
      return `dict[str, ${plain ? pythonType(others, prefix) : 'Any'}]`;
    }
    default:
      return 'Any';
  }
}

function pythonLiteral(value) {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

function union(types) {
  const all = [...new Set(types)];
  return all.includes('Any') ? 'Any' : all.join(' | ');
}

/**
 * Returns the types of all schemas.
 * @param {Record<string, import('./model.mjs').Schema>} schemas
 */
export function typesModule(schemas) {
  let text = `${HEADER}# Dictionaries as the API sends and takes them.
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

`;
  const aliases = [];
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.type !== 'object' || !schema.properties) {
      aliases.push([name, schema]);
      continue;
    }
    const fields = fieldsOf(schema);
    if (!fields.every(([field]) => isPythonName(field))) {
      text += `${dictByText(name, fields)}\n`;
      continue;
    }
    text += `\nclass ${name}(TypedDict):\n`;
    for (const [field, type, description] of fields) {
      text += `    ${field}: ${type}\n`;
      if (description) text += `    """${docText(description)}"""\n`;
    }
    if (fields.length === 0) text += '    pass\n';
    text += '\n';
  }
  for (const [name, schema] of aliases) text += `\n${name} = ${aliasType(schema)}\n`;
  const events = Object.keys(schemas).filter((name) => name.endsWith('Event') && schemas[`${name}Data`]);
  text += `\nWebhookEvent = (\n    ${events.join('\n    | ')}\n)\n"""What a webhook delivers: \`event_type\` says which it is."""\n`;
  return text;
}

/** The form that takes names as text, for fields whose names are words of the language, or none. */
function dictByText(name, fields) {
  const entries = fields.map(([field, type]) => `        ${JSON.stringify(field)}: ${JSON.stringify(type)},`);
  return `\n${name} = TypedDict(\n    "${name}",\n    {\n${entries.join('\n')}\n    },\n)\n`;
}

/** An alias is read when the module is: names of later aliases would be unknown, so it is written as they stand. */
function aliasType(schema) {
  const choices = schema.anyOf ?? schema.oneOf;
  return choices ? choices.map((choice) => pythonType(choice)).join(' | ') : pythonType(schema);
}

function fieldsOf(schema) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => {
    const type = pythonType(property);
    return [name, required.has(name) ? type : `NotRequired[${type}]`, property.description];
  });
}

/** @param {string} text */
function docText(text) {
  return text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '\\"');
}

/**
 * Returns a class for each resource, with a method for each operation.
 * @param {import('./model.mjs').Operation[]} operations
 */
export function resourcesModule(operations) {
  let queries = '';
  let classes = '';
  for (const [resource, methods] of byResource(operations)) {
    classes += `\nclass ${className(resource)}Resource(Resource):\n`;
    for (const operation of methods) {
      if (operation.query.length > 0) queries += queryType(operation);
      classes += `${methodText(operation)}\n`;
    }
  }
  // Methods are called `list` too, so that the built-in name means something else in these classes.
  const text = `${queries}${classes}`.replaceAll(/\blist\[/g, 'List[');
  return `${HEADER}from __future__ import annotations

from typing import List, Literal, NotRequired, TypedDict, Unpack

from .._pages import Pages
from .._resource import Resource, path_of
from .._transport import RequestOptions
from . import types as t

${text}`;
}

function queryName(operation) {
  return `${className(operation.id)}Query`;
}

function queryType(operation) {
  const fields = operation.query.map((parameter) => {
    const type = pythonType(parameter.schema, 't.');
    return [parameter.name, parameter.required ? type : `NotRequired[${type}]`];
  });
  const name = queryName(operation);
  if (!fields.every(([field]) => isPythonName(field))) return dictByText(name, fields);
  return `\nclass ${name}(TypedDict):\n${fields.map(([field, type]) => `    ${field}: ${type}\n`).join('')}\n`;
}

function methodText(operation) {
  const { pages, verb, path } = operation;
  const named = pythonName(snakeCase(operation.method));
  const ids = operation.pathParameters.map((name) => [name, pythonName(name, NAMED_IN_METHODS)]);
  const parameters = ['self', ...ids.map(([, id]) => `${id}: str`)];
  parameters.push('request_options: RequestOptions | None = None');
  const given = [];
  if (operation.body) {
    parameters.push(`**body: Unpack[t.${operation.body}]`);
    given.push('body=dict(body)');
  } else if (operation.query.length > 0) {
    parameters.push(`**query: Unpack[${queryName(operation)}]`);
    given.push('query=dict(query)');
  }
  given.push('options=request_options');
  const where =
    ids.length === 0
      ? `"${path}"`
      : `path_of("${path}", ${ids.map(([name, id]) => (isPythonName(name) ? `${name}=${id}` : `**{"${name}": ${id}}`)).join(', ')})`;
  const doc = `        """${docText(operation.summary)}. \`${verb} ${path}\`"""\n`;
  const result = pages
    ? `Pages[${pythonType(pages.item, 't.')}]`
    : operation.result
      ? pythonType(operation.result, 't.')
      : 'None';
  const head = `    def ${named}(${parameters.join(', ')}) -> ${result}:\n${doc}`;
  return pages
    ? `${head}        return self._pages(${where}, "${pages.items}", "${pages.by}", ${given.join(', ')})\n`
    : `${head}        return self._request("${verb}", ${where}, ${given.join(', ')})\n`;
}
