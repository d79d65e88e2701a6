import type { Description } from './description.js';
import { readGuides } from './guides.js';
import { type Html, html } from './html.js';
import { type Navigation, page } from './layout.js';
import { type Heading, headingId, plain, renderMarkdown } from './markdown.js';
import { referencePages } from './reference.js';

/** What the search looks in: a section of a guide, or an operation. */
interface SearchEntry {
  /** The address, with the section. */
  readonly id: string;
  readonly title: string;
  /** The page that it is on. */
  readonly page: string;
  readonly text: string;
}

/** Every page by its address, rendered when it is asked for, and what the search looks in. */
export interface Site {
  readonly pages: ReadonlyMap<string, () => string>;
  readonly notFound: () => string;
  readonly search: readonly SearchEntry[];
}

const guidePath = (name: string) => `/docs/guides/${name}`;

/** Splits a page at its headings: each with the text up to the next. */
function sectionsOf(markdown: string): { title: string; text: string }[] {
  const sections: { title: string; text: string }[] = [];
  let fenced = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    const heading = fenced ? undefined : /^#{1,3} (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ title: plain(heading), text: '' });
    else if (sections.length > 0) sections.at(-1)!.text += `${line}\n`;
  }
  return sections;
}

/** Returns the reader: the guides, and the reference of an OpenAPI description. */
export function siteOf(api: Description): Site {
  const guides = readGuides();
  const reference = referencePages(api);
  const navigation: Navigation = {
    guides: guides.map(({ name, label }) => ({ href: guidePath(name), label })),
    reference: reference.map(({ slug, title, operations }) => ({
      href: `/docs/reference/${slug}`,
      label: title,
      operations: operations.map(({ id, label, verb }) => ({ href: `#${id}`, label, verb })),
    })),
  };
  const { version } = api.info;
  const known = new Set(guides.map(({ name }) => name));
  const targetOf = (href: string) => {
    const [file = '', anchor] = href.split('#');
    const name = file.replace(/\.md$/, '');
    return known.has(name) ? `${guidePath(name)}${anchor === undefined ? '' : `#${anchor}`}` : undefined;
  };
  const shown = (path: string, title: string, body: Html, headings: readonly Heading[] = []) =>
    page({ path, title, navigation, body, headings, version });
  const pages = new Map<string, () => string>();
  const search: SearchEntry[] = [];

  for (const { name, label, markdown } of guides) {
    const path = guidePath(name);
    pages.set(path, () => {
      const { html: body, headings } = renderMarkdown(markdown, targetOf);
      return shown(path, label, html`<article class="guide">${body}</article>`, headings);
    });
    for (const { title, text } of sectionsOf(markdown)) {
      search.push({ id: `${path}#${headingId(title)}`, title, page: label, text });
    }
  }
  for (const { slug, title, render, operations } of reference) {
    const path = `/docs/reference/${slug}`;
    pages.set(path, () => shown(path, title, html`<article class="reference">${render()}</article>`));
    for (const { id, label, verb, path: endpoint, text } of operations) {
      search.push({
        id: `${path}#${id}`,
        title: label,
        page: title,
        text: `${verb} ${endpoint} ${id} ${text}`,
      });
    }
  }
  pages.set('/docs', () => shown('/docs', 'Docs', overview(api, guides, reference)));
  const notFound = () =>
    shown(
      '',
      'Not found',
      html`<h1>There is no such page</h1><p>It may have moved: search for it, or start at <a href="/docs">the overview</a>.</p>`,
    );
  return { pages, notFound, search };
}

function overview(
  api: Description,
  guides: ReturnType<typeof readGuides>,
  reference: ReturnType<typeof referencePages>,
): Html {
  const card = (href: string, title: string, text: string) =>
    html`<li><a href="${href}">${title}</a><p>${text}</p></li>`;
  return html`<article class="guide"><h1>${api.info.title}</h1>
<h2 id="guides">Guides</h2><ul class="cards">${guides.map(({ name, label, summary }) => card(guidePath(name), label, summary))}</ul>
<h2 id="reference">Reference</h2><ul class="cards">${reference.map(({ slug, title, summary }) => card(`/docs/reference/${slug}`, title, summary))}</ul>
${renderMarkdown(api.info.description ?? '').html}</article>`;
}
