import { Marked, type Tokens } from 'marked';
import { highlighted } from './highlight.js';
import { escapeHtml, Html } from './html.js';

export interface Heading {
  readonly id: string;
  readonly text: string;
  /** 1 is the page's title. */
  readonly level: number;
}

/** A page of Markdown as HTML, with the headings that it has. */
export interface Rendered {
  readonly html: Html;
  readonly headings: readonly Heading[];
}

/** Where a link leads in the reader; undefined for what the reader does not show. */
export type LinkTarget = (href: string) => string | undefined;

/** Returns what a heading says, without marks of Markdown. */
export const plain = (text: string) =>
  text.replaceAll(/[`*_]/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');

/** Names a heading as GitHub does, so that links within the sources hold in the reader. */
export const headingId = (text: string): string =>
  plain(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Renders Markdown; raw HTML in it is shown as text. */
export function renderMarkdown(markdown: string, targetOf: LinkTarget = (href) => href): Rendered {
  const headings: Heading[] = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ depth, text, tokens }: Tokens.Heading) {
        const id = headingId(text);
        headings.push({ id, text: plain(text), level: depth });
        const title = this.parser.parseInline(tokens);
        const link =
          depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${id}">${title}${link}</h${depth}>\n`;
      },
      code({ text, lang }: Tokens.Code) {
        return highlighted(text, lang).text;
      },
      link({ href, tokens }: Tokens.Link) {
        const label = this.parser.parseInline(tokens);
        const target = /^(?:https?:|mailto:|#)/.test(href) ? href : targetOf(href);
        // In the sources, which the reader of an installation may not have: named, not linked.
        if (target === undefined) return `<span title="In the source: ${escapeHtml(href)}">${label}</span>`;
        return `<a href="${escapeHtml(target)}">${label}</a>`;
      },
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return escapeHtml(text);
      },
      image({ text }: Tokens.Image) {
        return escapeHtml(text);
      },
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        // Wider than a phone, it is scrolled by itself, by keyboard too.
        return `<div class="scrolled" tabindex="0" role="group" aria-label="Table"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  return { html: new Html(marked.parse(markdown, { async: false })), headings };
}

/** Renders one paragraph's worth of Markdown without the paragraph. */
export function renderInline(markdown: string): Html {
  const marked = new Marked({ gfm: true });
  marked.use({ renderer: { html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text) } });
  return new Html(marked.parseInline(markdown, { async: false }));
}
