import { byTag, type Description, type Placed, parametersOf, responseOf } from './description.js';
import { exampleOf } from './example.js';
import { highlighted } from './highlight.js';
import { type Html, html } from './html.js';
import { renderMarkdown } from './markdown.js';
import { samples } from './samples.js';
import { field, fields } from './schema.js';

/** The last part of the address of a tag's page. */
const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** What each place of a parameter is called, in the order in which they are shown. */
const PLACES = [
  ['path', 'In the path'],
  ['query', 'In the query'],
  ['header', 'In the headers'],
] as const;

function parameters(api: Description, { operation }: Placed): Html[] {
  const all = parametersOf(api, operation);
  return PLACES.flatMap(([place, title]) => {
    const here = all.filter((parameter) => parameter.in === place);
    if (here.length === 0) return [];
    return [
      html`<h3>${title}</h3><dl class="fields">${here.map(
        ({ name, schema = {}, required = false, description }) =>
          field(api, { name, schema, required: required || place === 'path', description }),
      )}</dl>`,
    ];
  });
}

function body(api: Description, { operation }: Placed): Html | null {
  const content = Object.entries(operation.requestBody?.content ?? {});
  if (content.length === 0) return null;
  return html`<h3>Body</h3>${content.map(([type, { schema }]) => html`<p class="muted"><code>${type}</code></p>${schema === undefined ? null : fields(api, schema)}`)}`;
}

/** The answers of success with their fields; the codes of errors in one table. */
function answers(api: Description, { operation }: Placed): Html | null {
  const all = Object.entries(operation.responses ?? {}).map(
    ([status, response]) => [status, responseOf(api, response)] as const,
  );
  if (all.length === 0) return null;
  const good = all.filter(([status]) => Number(status) < 400);
  const bad = all.filter(([status]) => Number(status) >= 400);
  return html`<h3>Answer</h3>${good.map(([status, { description = '', content = {} }]) => {
    const schema = content['application/json']?.schema;
    const types = Object.keys(content).filter((type) => type !== 'application/json');
    return html`<p><span class="status">${status}</span> ${description}${types.length > 0 ? html` <code>${types.join(', ')}</code>` : null}</p>${schema === undefined ? null : html`<details class="answer"><summary>Fields of the answer</summary>${fields(api, schema)}</details>`}`;
  })}${bad.length === 0 ? null : html`<details class="answer"><summary>Errors</summary><dl class="fields">${bad.map(([status, { description = '' }]) => html`<div class="field"><dt><span class="status">${status}</span></dt><dd>${renderMarkdown(description).html}</dd></div>`)}</dl></details>`}`;
}

/** An example of the answer, or of what a receiver of events is sent. */
function example(api: Description, { operation }: Placed): Html | null {
  const sent = operation.requestBody?.content['application/json'];
  const isEvent = operation.operationId.startsWith('event_');
  const schema = Object.entries(operation.responses ?? {})
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => responseOf(api, response).content?.['application/json']?.schema)
    .find((found) => found !== undefined);
  const value = isEvent ? sent?.example : schema && exampleOf(api, schema);
  if (value === undefined) return null;
  return html`<h4>${isEvent ? 'What is sent' : 'Answer'}</h4>${highlighted(JSON.stringify(value, null, 2), 'json')}`;
}

function operationSection(api: Description, placed: Placed): Html {
  const { verb, path, operation } = placed;
  const isEvent = operation.operationId.startsWith('event_');
  return html`<section class="operation" id="${operation.operationId}" aria-labelledby="${operation.operationId}-title">
<div class="words">
<h2 id="${operation.operationId}-title">${operation.summary} <a class="anchor" href="#${operation.operationId}" aria-label="Link to this operation">#</a></h2>
${isEvent ? null : html`<p class="endpoint"><span class="verb verb-${verb.toLowerCase()}">${verb}</span> <code>${path}</code></p>`}
${operation.description === undefined ? null : renderMarkdown(operation.description).html}
${parameters(api, placed)}${body(api, placed)}${isEvent ? null : answers(api, placed)}
</div>
<div class="code-column">${isEvent ? null : samples(api, placed)}${example(api, placed)}${isEvent ? null : html`<p><a href="/docs/console#/${encodeURIComponent(operation.tags?.[0] ?? '')}/${operation.operationId}">Try it in the console</a></p>`}</div>
</section>`;
}

/** A page of the reference: one tag's operations. */
export interface ReferencePage {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly operations: readonly {
    readonly id: string;
    readonly label: string;
    readonly verb: string;
    readonly path: string;
    readonly text: string;
  }[];
  readonly render: () => Html;
}

/** Returns the reference, a page for each tag; each is rendered when it is asked for. */
export function referencePages(api: Description): ReferencePage[] {
  return byTag(api).map(({ name, description, operations }) => ({
    slug: slugOf(name),
    title: name,
    summary: description,
    operations: operations.map(({ verb, path, operation }) => ({
      id: operation.operationId,
      label: operation.summary,
      verb: operation.operationId.startsWith('event_') ? 'EVENT' : verb,
      path,
      text: operation.description ?? '',
    })),
    render: () =>
      html`<h1>${name}</h1><p class="lead">${description}</p>${operations.map((placed) => operationSection(api, placed))}`,
  }));
}
