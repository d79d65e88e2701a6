import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { BookOpen, Bot, Megaphone, SunMoon } from 'lucide-react';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { useApi, useMode } from '../api/mode.js';
import { counted } from '../format/words.js';
import { agentsQuery } from '../pages/agents/query.js';
import { foundAgents } from './found-agents.js';
import { DESTINATIONS } from './navigation.js';
import { nextTheme, useTheme } from './theme.js';

const ITEM =
  'flex h-10 cursor-pointer items-center gap-2.5 rounded-md px-2.5 data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent';
const GROUP =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted';

/** ⌘K: every page, every agent, every command, by a few letters. */
export default function CommandPalette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [mode, setMode] = useMode();
  const [theme, setTheme] = useTheme();
  const agents = useQuery(agentsQuery(useApi()));
  const [letters, setLetters] = useState('');
  const typed = useDeferredValue(letters);
  const found = useMemo(() => foundAgents(agents.data ?? [], typed), [agents.data, typed]);
  const run = (action: () => void) => () => {
    onClose();
    action();
  };
  return (
    <Command.Dialog
      open
      onOpenChange={onClose}
      label="Search and commands"
      overlayClassName="fixed inset-0 z-40 bg-shade"
      contentClassName="fixed top-[12vh] left-1/2 z-50 w-[min(36rem,calc(100vw-1.5rem))] -translate-x-1/2 overflow-hidden rounded-xl border border-line bg-raised shadow-2xl"
    >
      <Command.Input
        value={letters}
        onValueChange={setLetters}
        placeholder="Go to a page or an agent …"
        className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none placeholder:text-muted"
      />
      <Command.List className="max-h-[50vh] overflow-auto p-1.5">
        <Command.Empty className="px-3 py-6 text-center text-muted">Nothing by these letters.</Command.Empty>
        <Command.Group heading="Pages" className={GROUP}>
          {DESTINATIONS.map(({ to, label, icon: Icon, key, words }) => (
            <Command.Item
              key={to}
              className={ITEM}
              keywords={words?.split(' ')}
              onSelect={run(() => void navigate({ to }))}
            >
              <Icon aria-hidden className="size-4" />
              <span className="flex-1">{label}</span>
              <span aria-hidden>
                <kbd>g</kbd> <kbd>{key}</kbd>
              </span>
            </Command.Item>
          ))}
        </Command.Group>
        {found.agents.length > 0 && (
          <Command.Group heading="Agents" className={GROUP}>
            {found.agents.map(({ id, name }) => (
              <Command.Item
                key={id}
                value={`${name} ${id}`}
                className={ITEM}
                onSelect={run(() => void navigate({ to: '/agents/$agentId', params: { agentId: id } }))}
              >
                <Bot aria-hidden className="size-4 shrink-0" /> <span className="truncate">{name}</span>
              </Command.Item>
            ))}
            {found.others > 0 && (
              <p className="px-2.5 py-1.5 text-xs text-muted">
                {counted(found.others, 'other agent')}: type more of the name.
              </p>
            )}
          </Command.Group>
        )}
        <Command.Group heading="Commands" className={GROUP}>
          <Command.Item className={ITEM} onSelect={run(() => void navigate({ to: '/agents/new' }))}>
            <Bot aria-hidden className="size-4" /> New agent
          </Command.Item>
          <Command.Item
            className={ITEM}
            keywords={['csv', 'contacts']}
            onSelect={run(() => void navigate({ to: '/campaigns/new' }))}
          >
            <Megaphone aria-hidden className="size-4" /> New campaign
          </Command.Item>
          <Command.Item
            className={ITEM}
            keywords={['mode', 'production', 'test']}
            onSelect={run(() => setMode(mode === 'live' ? 'sandbox' : 'live'))}
          >
            Switch to {mode === 'live' ? 'the sandbox' : 'live'}
          </Command.Item>
          <Command.Item
            className={ITEM}
            keywords={['dark', 'light']}
            onSelect={run(() => setTheme(nextTheme(theme)))}
          >
            <SunMoon aria-hidden className="size-4" /> Theme: {nextTheme(theme)}
          </Command.Item>
          <Command.Item className={ITEM} onSelect={run(() => location.assign('/docs'))}>
            <BookOpen aria-hidden className="size-4" /> API reference
          </Command.Item>
        </Command.Group>
      </Command.List>
    </Command.Dialog>
  );
}
