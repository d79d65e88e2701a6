// What the pages do beyond being read: theme, language of the samples, copying, the list on a phone, search.
import MiniSearch from '/docs/minisearch.js';

const THEMES = ['system', 'light', 'dark'];
const LANGUAGES = ['Shell', 'TypeScript', 'Python'];
const MOST_RESULTS = 20;

const byId = (id) => document.getElementById(id);
const root = document.documentElement;

/** The stored choice, or the first of the values. */
const chosen = (key, values) => {
  const value = localStorage.getItem(key);
  return values.includes(value) ? value : values[0];
};

// The theme, which the dashboard shares.
const themeButton = byId('theme');
const showTheme = () => {
  const theme = chosen('dashboard.theme', THEMES);
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  const word = document.createElement('span');
  word.className = 'theme-word';
  word.textContent = 'Theme: ';
  themeButton.replaceChildren(word, theme);
  themeButton.setAttribute('aria-label', `Theme: ${theme}`);
};
themeButton.addEventListener('click', () => {
  const theme = chosen('dashboard.theme', THEMES);
  localStorage.setItem('dashboard.theme', THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]);
  showTheme();
});
themeButton.hidden = false;
showTheme();

// One language of the samples is shown, on all pages the same.
const showLanguage = () => {
  const language = chosen('docs.language', LANGUAGES);
  for (const samples of document.querySelectorAll('.samples')) {
    const has = samples.querySelector(`[data-language="${language}"]`) !== null;
    const shown = has ? language : LANGUAGES[0];
    for (const sample of samples.querySelectorAll('[data-language]')) {
      sample.hidden = sample.dataset.language !== shown;
    }
    for (const button of samples.querySelectorAll('.languages button')) {
      button.setAttribute('aria-pressed', String(button.textContent === shown));
    }
  }
};
for (const samples of document.querySelectorAll('.samples')) {
  const choice = document.createElement('div');
  choice.className = 'languages';
  choice.setAttribute('role', 'group');
  choice.setAttribute('aria-label', 'Language of the sample');
  for (const { dataset } of samples.querySelectorAll('[data-language]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = dataset.language;
    button.addEventListener('click', () => {
      localStorage.setItem('docs.language', dataset.language);
      showLanguage();
    });
    choice.append(button);
  }
  for (const title of samples.querySelectorAll('h4')) title.hidden = true;
  samples.prepend(choice);
}
showLanguage();

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.nextElementSibling.textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
}

// On a phone the contents are folded.
const narrow = matchMedia('(max-width: 60rem)');
const foldMenu = () => {
  byId('menu').open = !narrow.matches;
};
narrow.addEventListener('change', foldMenu);
foldMenu();

// Search: loaded when it is first opened.
const dialog = byId('search');
const input = byId('search-text');
const results = byId('search-results');
const state = byId('search-state');
let index;
let active = -1;

async function loadIndex() {
  if (index) return;
  state.textContent = 'Loading…';
  try {
    const answer = await fetch('/docs/search.json');
    if (!answer.ok) throw new Error(`${answer.status}`);
    const entries = await answer.json();
    const made = new MiniSearch({
      fields: ['title', 'text', 'page'],
      storeFields: ['title', 'page'],
      searchOptions: { prefix: true, fuzzy: 0.2, boost: { title: 4, page: 2 }, combineWith: 'AND' },
    });
    // Guides may have two sections of one name: the first is found.
    const seen = new Set();
    made.addAll(entries.filter(({ id }) => !seen.has(id) && seen.add(id)));
    index = made;
    state.textContent = '';
    show();
  } catch {
    state.textContent = 'The search could not be loaded. Check the connection and open it again.';
  }
}

function activate(next) {
  const options = [...results.children];
  active = options.length === 0 ? -1 : (next + options.length) % options.length;
  for (const [n, option] of options.entries()) option.setAttribute('aria-selected', String(n === active));
  if (active < 0) input.removeAttribute('aria-activedescendant');
  else {
    input.setAttribute('aria-activedescendant', options[active].id);
    options[active].scrollIntoView({ block: 'nearest' });
  }
}

const follow = (option) => {
  dialog.close();
  location.assign(option.dataset.href);
};

function show() {
  if (!index) return;
  const text = input.value.trim();
  const found = text === '' ? [] : index.search(text).slice(0, MOST_RESULTS);
  results.replaceChildren(
    ...found.map(({ id, title, page }, n) => {
      const option = document.createElement('li');
      option.id = `result-${n}`;
      option.dataset.href = id;
      option.setAttribute('role', 'option');
      const where = document.createElement('span');
      where.className = 'muted';
      where.textContent = page;
      option.append(title, ' ', where);
      option.addEventListener('click', () => follow(option));
      return option;
    }),
  );
  input.setAttribute('aria-expanded', String(found.length > 0));
  state.textContent = text !== '' && found.length === 0 ? `Nothing is found for “${text}”.` : '';
  activate(0);
}

const open = () => {
  if (dialog.open) return;
  dialog.showModal();
  input.select();
  void loadIndex();
};
byId('open-search').hidden = false;
byId('open-search').addEventListener('click', open);
input.addEventListener('input', show);
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') activate(active + 1);
  else if (event.key === 'ArrowUp') activate(active - 1);
  else if (event.key === 'Enter' && active >= 0) follow(results.children[active]);
  else return;
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  const writing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  const asked = (event.key === '/' && !writing) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
  if (!asked) return;
  event.preventDefault();
  open();
});
