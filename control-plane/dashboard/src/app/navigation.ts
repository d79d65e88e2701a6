import {
  Bot,
  ChartColumn,
  CreditCard,
  Hash,
  KeyRound,
  ListChecks,
  type LucideIcon,
  Megaphone,
  Phone,
  PhoneOff,
  Radio,
  ScrollText,
  Settings,
  ShieldCheck,
  Webhook,
} from 'lucide-react';

export interface Destination {
  readonly to:
    | '/start'
    | '/agents'
    | '/live'
    | '/calls'
    | '/campaigns'
    | '/numbers'
    | '/do-not-call'
    | '/compliance'
    | '/analytics'
    | '/keys'
    | '/webhooks'
    | '/events'
    | '/billing'
    | '/settings';
  readonly label: string;
  readonly icon: LucideIcon;
  /** Pressed after `g`. */
  readonly key: string;
  /** Further words that ⌘K finds it by. */
  readonly words?: string;
}

/** The pages in the side bar and in ⌘K, in this order. A page is listed once it exists. */
export const DESTINATIONS: readonly Destination[] = [
  { to: '/start', label: 'Start', icon: ListChecks, key: 's', words: 'checklist begin' },
  { to: '/agents', label: 'Agents', icon: Bot, key: 'a', words: 'prompt voice' },
  { to: '/live', label: 'Live', icon: Radio, key: 'l', words: 'running listen whisper transfer' },
  { to: '/calls', label: 'Calls', icon: Phone, key: 'c', words: 'transcript recording latency' },
  { to: '/campaigns', label: 'Campaigns', icon: Megaphone, key: 'm', words: 'csv contacts funnel results' },
  {
    to: '/analytics',
    label: 'Analytics',
    icon: ChartColumn,
    key: 'y',
    words: 'latency cost outcomes statistics',
  },
  { to: '/numbers', label: 'Numbers', icon: Hash, key: 'n', words: 'phone buy import verify caller' },
  { to: '/do-not-call', label: 'Do not call', icon: PhoneOff, key: 'd', words: 'dnc opt-out' },
  {
    to: '/compliance',
    label: 'Compliance',
    icon: ShieldCheck,
    key: 'o',
    words: 'checks evidence calling hours consent denied',
  },
  { to: '/keys', label: 'API keys', icon: KeyRound, key: 'k', words: 'developer token' },
  {
    to: '/webhooks',
    label: 'Webhooks',
    icon: Webhook,
    key: 'w',
    words: 'developer deliveries replay signature',
  },
  { to: '/events', label: 'Events', icon: ScrollText, key: 'e', words: 'developer log published' },
  { to: '/billing', label: 'Billing', icon: CreditCard, key: 'b', words: 'usage cost cap invoices' },
  {
    to: '/settings',
    label: 'Settings',
    icon: Settings,
    key: 't',
    words: 'members roles invite vendor keys integrations retention',
  },
];
