import { type Html, html } from './html.js';
import type { Heading } from './markdown.js';

interface NavigationEntry {
  readonly href: string;
  readonly label: string;
}

/** A group of the reference; its operations are listed while its page is open. */
interface NavigationGroup extends NavigationEntry {
  readonly operations: readonly (NavigationEntry & { readonly verb: string })[];
}

export interface Navigation {
  readonly guides: readonly NavigationEntry[];
  readonly reference: readonly NavigationGroup[];
}

interface PageOptions {
  /** The address without origin, which the navigation marks. */
  readonly path: string;
  readonly title: string;
  readonly navigation: Navigation;
  readonly body: Html;
  /** What the page's own list of contents shows; none where it would be shorter than two. */
  readonly headings?: readonly Heading[];
  readonly version: string;
}

const current = (here: boolean) => (here ? html` aria-current="page"` : null);

function navigationList({ guides, reference }: Navigation, path: string): Html {
  const entry = ({ href, label }: NavigationEntry) =>
    html`<li><a href="${href}"${current(href === path)}>${label}</a></li>`;
  return html`<h2>Guides</h2><ul>${guides.map(entry)}</ul>
<h2>Reference</h2><ul>${reference.map((group) =>
    group.href === path
      ? html`<li><a href="${group.href}" aria-current="page">${group.label}</a><ul class="operations">${group.operations.map(
          ({ href, label, verb }) =>
            html`<li><a href="${href}"><span class="verb verb-${verb.toLowerCase()}">${verb}</span> ${label}</a></li>`,
        )}</ul></li>`
      : entry(group),
  )}</ul>`;
}

/** Renders a whole page of the reader. */
export function page({ path, title, navigation, body, headings = [], version }: PageOptions): string {
  const sections = headings.filter(({ level }) => level === 2);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Voice agents</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/theme.css">
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/theme.js"></script>
<script src="/docs/docs.js" type="module"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<a class="brand" href="/docs"><img src="/docs/icon.svg" alt="" width="28" height="28"> Docs</a>
<button type="button" class="search-button" id="open-search" hidden>Search <kbd>/</kbd></button>
<nav class="bar-end" aria-label="Site"><a href="/dashboard">Dashboard</a><button type="button" id="theme" hidden>Theme</button></nav>
</header>
<div class="frame">
<nav class="side" aria-label="Docs"><details id="menu" open><summary>Contents</summary>${navigationList(navigation, path)}<p class="muted">API version ${version} · <a href="/v1/openapi.json">OpenAPI</a> · <a href="/docs/console">Console</a></p></details></nav>
<main id="content">${sections.length < 2 ? null : html`<nav class="contents" aria-label="On this page"><ul>${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`}
${body}
</main>
</div>
<dialog id="search" aria-label="Search the docs"><form method="dialog"><input id="search-text" type="search" placeholder="Search guides and reference" aria-label="Search guides and reference" role="combobox" aria-expanded="false" aria-controls="search-results" aria-autocomplete="list" autocomplete="off" spellcheck="false"><button class="plain">Close</button></form><ul id="search-results" role="listbox" aria-label="Results"></ul><p id="search-state" class="muted" role="status"></p></dialog>
</body>
</html>
`.text;
}
