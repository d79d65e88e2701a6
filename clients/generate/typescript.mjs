import { byResource, className } from './model.mjs';
import { typescriptName } from './names.mjs';

const HEADER =
  '// Generated from the OpenAPI description by `npm run clients`. Change the API or clients/generate, not this.\n';

/**
 * Returns the type of a schema in TypeScript.
 * @param {import('./model.mjs').Schema} schema
 * @param {(name: string) => string} [reference] how the name of another schema is written
 * @returns {string}
 */
function typeOf(schema, reference = (name) => name) {
  if (schema.$ref) return reference(schema.$ref.split('/').pop());
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map((choice) => typeOf(choice, reference)));
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => typeOf({ ...schema, type }, reference)));
  }
  switch (schema.type) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array': {
      const item = typeOf(schema.items ?? {}, reference);
      return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectType(schema, reference);
    default:
      return 'unknown';
  }
}

function literal(value) {
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function union(types) {
  return [...new Set(types.flatMap((type) => type.split(' | ')))].join(' | ');
}

function objectType(schema, reference) {
  const fields = fieldsOf(schema, reference);
  const others = schema.additionalProperties;
  if (fields.length === 0) {
    return others && typeof others === 'object'
      ? `Record<string, ${typeOf(others, reference)}>`
      : 'Record<string, unknown>';
  }
  return `{ ${fields.map(({ text }) => text).join(' ')} }`;
}

function fieldsOf(schema, reference) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    text: `${fieldName(name)}${required.has(name) ? '' : '?'}: ${typeOf(property, reference)};`,
    doc: property.description,
  }));
}

/** Words of the language are no trouble here. */
function fieldName(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function docs(text, indent = '') {
  if (!text) return '';
  const lines = text.replaceAll('*/', '* /').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/**
 * Returns the types of all schemas.
 * @param {Record<string, import('./model.mjs').Schema>} schemas
 */
export function typesFile(schemas) {
  let text = HEADER;
  for (const [name, schema] of Object.entries(schemas)) {
    text += `\n${docs(schema.description)}`;
    if (schema.type === 'object' && schema.properties) {
      text += `export interface ${name} {\n`;
      for (const field of fieldsOf(schema)) text += `${docs(field.doc, '  ')}  ${field.text}\n`;
      if (typeof schema.additionalProperties === 'object') text += '  [field: string]: unknown;\n';
      text += '}\n';
    } else text += `export type ${name} = ${typeOf(schema)};\n`;
  }
  const events = Object.keys(schemas).filter((name) => name.endsWith('Event') && schemas[`${name}Data`]);
  text += `\n/** What a webhook delivers: \`event_type\` says which it is. */\nexport type WebhookEvent =\n${events.map((name) => `  | ${name}`).join('\n')};\n`;
  return text;
}

/**
 * Returns a class for each resource, with a method for each operation.
 * @param {import('./model.mjs').Operation[]} operations
 */
export function resourcesFile(operations) {
  const used = new Set();
  const reference = (name) => {
    used.add(name);
    return name;
  };
  let text = '';
  for (const [resource, methods] of byResource(operations)) {
    text += `\nexport class ${className(resource)}Resource extends Resource {\n`;
    text += methods.map((operation) => methodText(operation, reference)).join('\n');
    text += '}\n';
  }
  const imports = [...used].sort();
  return `${HEADER}import type { Pages } from '../pages.js';
import { pathOf, Resource } from '../resource.js';
import type { RequestOptions } from '../transport.js';
import type {
${imports.map((name) => `  ${name},`).join('\n')}
} from './types.js';
${text}`;
}

function methodText(operation, reference) {
  const { verb, path, pages } = operation;
  const parameters = operation.pathParameters.map((name) => `${parameterName(name)}: string`);
  const call = [`'${verb}'`];
  call.push(
    operation.pathParameters.length === 0
      ? `'${path}'`
      : `pathOf\`${path.replace(/\{([^}]+)\}/g, (_, name) => `\${${parameterName(name)}}`)}\``,
  );
  const parts = [];
  if (operation.body) {
    const type = reference(operation.body);
    parameters.push(operation.bodyRequired ? `body: ${type}` : `body: ${type} = {}`);
    parts.push('body');
  }
  if (operation.query.length > 0) {
    const required = operation.query.some((parameter) => parameter.required);
    const fields = operation.query.map(
      (parameter) =>
        `${fieldName(parameter.name)}${parameter.required ? '' : '?'}: ${typeOf(parameter.schema, reference)}`,
    );
    parameters.push(`query: { ${fields.join('; ')} }${required ? '' : ' = {}'}`);
    parts.push('query');
  }
  parameters.push('options?: RequestOptions');
  const passed = `{ ${[...parts, '...options'].join(', ')} }`;
  const signature = `${operation.method}(${parameters.join(', ')})`;
  const summary = docs(`${operation.summary}. \`${verb} ${path}\``, '  ');
  if (pages) {
    const page = typeOf(operation.result, reference);
    const item = typeOf(pages.item, reference);
    return `${summary}  ${signature}: Pages<${item}, ${page}> {
    return this.pages(${call[1]}, '${pages.items}', '${pages.by}', ${passed});
  }
`;
  }
  const result = operation.result ? typeOf(operation.result, reference) : 'void';
  return `${summary}  ${signature}: Promise<${result}> {
    return this.request(${call.join(', ')}, ${passed});
  }
`;
}

/** @param {string} name of a parameter of the path */
function parameterName(name) {
  return typescriptName(camel(name), ['body', 'query', 'options', 'pathOf']);
}

/** @param {string} name */
function camel(name) {
  return name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}
