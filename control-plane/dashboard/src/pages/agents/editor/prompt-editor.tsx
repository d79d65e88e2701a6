import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { type ReactNode, useEffect, useRef } from 'react';
import type { PromptProblem } from './prompt-lint.js';

interface PromptEditorProps {
  readonly value: string;
  readonly label: string;
  /** Given, not imported: the page that shows the editor has it already. */
  readonly problemsOf: (text: string) => readonly PromptProblem[];
  readonly onChange: (value: string) => void;
}

const variables = new MatchDecorator({
  regexp: /\{\{.*?\}\}/g,
  decoration: Decoration.mark({ class: 'cm-variable' }),
});
const highlighted = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = variables.createDeco(view);
    }
    update(update: ViewUpdate): void {
      this.decorations = variables.updateDeco(update, this.decorations);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

const theme = EditorView.theme({
  '&': { fontSize: '0.8125rem', backgroundColor: 'var(--surface)', color: 'var(--text)', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { fontFamily: 'var(--font-mono, monospace)', padding: '0.75rem', caretColor: 'var(--text)' },
  '.cm-scroller': { overflow: 'auto', lineHeight: '1.55' },
  '.cm-variable': { color: 'var(--accent)', fontWeight: '600' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)' },
});

/**
 * Edits a prompt: variables stand out, and what will not do what it seems to is underlined. It lives in a shadow, where
 * its styles are constructed sheets, which the Content-Security-Policy lets pass.
 */
export default function PromptEditor({ value, label, problemsOf, onChange }: PromptEditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  const initial = useRef(value);

  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: initial.current,
        extensions: [
          history(),
          // Tab leaves the editor, so that nobody is caught in it.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          highlighted,
          linter((shown) =>
            problemsOf(shown.state.doc.toString()).map((problem) => ({
              ...problem,
              severity: 'warning',
            })),
          ),
          theme,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      view.current = null;
      made.destroy();
    };
  }, [label, problemsOf]);

  // Set from outside, as by a reset.
  useEffect(() => {
    const shown = view.current;
    if (shown === null || shown.state.doc.toString() === value) return;
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: value } });
  }, [value]);

  return (
    <div
      ref={host}
      className="h-80 resize-y overflow-hidden rounded-md border border-line-strong focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent"
    />
  );
}
