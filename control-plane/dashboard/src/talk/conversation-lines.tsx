import type { ReactNode } from 'react';
import { classes } from '../ui/classes.js';
import { VirtualList } from '../ui/virtual-list.js';

/** A line of a conversation: somebody's words, or a note between them. */
interface ConversationLine {
  readonly role: 'caller' | 'agent' | 'operator' | 'note';
  readonly text: string;
}

interface ConversationLinesProps<Line extends ConversationLine> {
  readonly label: string;
  readonly lines: readonly Line[];
  readonly idOf: (line: Line) => string;
  /** Who the two sides are here; an operator is one everywhere. */
  readonly names: { readonly caller: string; readonly agent: string };
  /** What is shown before anybody spoke. */
  readonly empty: string;
  /** May still change, and is not read out until it no longer does. */
  readonly isOpen?: (line: Line) => boolean;
  /** Shows what was said, below the name of its speaker. */
  readonly children: (line: Line) => ReactNode;
}

/** A conversation while it goes on; it stays at its end unless somebody scrolls back. */
export function ConversationLines<Line extends ConversationLine>({
  label,
  lines,
  idOf,
  names,
  empty,
  isOpen,
  children,
}: ConversationLinesProps<Line>): ReactNode {
  const nameOf = { ...names, operator: 'Operator' };
  return (
    <VirtualList
      label={label}
      followsEnd
      rows={lines}
      idOf={idOf}
      rowHeight={48}
      gap={10}
      padding={16}
      className="min-h-48 flex-1 px-4"
      empty={
        <p className="flex h-full items-center justify-center text-center text-muted">
          <span className="max-w-xs">{empty}</span>
        </p>
      }
    >
      {(line) =>
        line.role === 'note' ? (
          <p className="text-xs break-words whitespace-pre-line text-muted">{line.text}</p>
        ) : (
          <div aria-hidden={isOpen?.(line) || undefined}>
            <span
              className={classes(
                'text-xs font-semibold',
                line.role === 'caller' ? 'text-caller' : 'text-agent',
              )}
            >
              {nameOf[line.role]}
            </span>
            {children(line)}
          </div>
        )
      }
    </VirtualList>
  );
}
