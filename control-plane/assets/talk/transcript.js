import { latencyDetails, seconds } from './figures.js';

const WHO = { caller: 'You', agent: 'Agent', operator: 'Operator' };

/** Shows lines in a list: only what changed is touched, so that readers of the screen hear a line once. */
export class Transcript {
  #list;
  #shown = new Map();

  constructor(list) {
    this.#list = list;
  }

  show(lines, agentName) {
    const isAtEnd = this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < 60;
    const keys = new Set(lines.map(({ key }) => key));
    for (const [key, { item }] of this.#shown) {
      if (keys.has(key)) continue;
      item.remove();
      this.#shown.delete(key);
    }
    for (const [at, line] of lines.entries()) {
      let shown = this.#shown.get(line.key);
      if (shown?.line !== line) {
        const item = shown?.item ?? document.createElement('li');
        fill(item, line, agentName);
        shown = { item, line };
        this.#shown.set(line.key, shown);
      }
      if (this.#list.children[at] !== shown.item)
        this.#list.insertBefore(shown.item, this.#list.children[at] ?? null);
    }
    if (isAtEnd) this.#list.scrollTop = this.#list.scrollHeight;
  }
}

function fill(item, line, agentName) {
  item.className = `${line.role}${line.final ? '' : ' interim'}`;
  // What may still change is not read out.
  item.ariaHidden = line.final ? null : 'true';
  const parts = [];
  if (line.role !== 'note') {
    const who = made('span', 'who', line.role === 'agent' ? agentName : WHO[line.role]);
    const latency = line.metrics?.response_latency_ms ?? null;
    if (latency !== null) {
      const chip = made('span', 'latency', seconds(latency));
      chip.title = latencyDetails(line.metrics);
      who.append(chip);
    }
    parts.push(who);
  }
  const text = made('span', 'text', line.text);
  if (line.unheard !== '') {
    if (line.unheard.startsWith(' ')) text.append(' ');
    const unheard = made('span', 'unheard', line.unheard.trimStart());
    unheard.title = 'Not heard: you interrupted.';
    text.append(unheard);
  }
  parts.push(text);
  item.replaceChildren(...parts);
}

function made(name, className, text) {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}
