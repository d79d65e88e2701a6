import { CreditCard, DatabaseZap, KeySquare, type LucideIcon, Plug, Users } from 'lucide-react';

export interface SettingsSection {
  readonly to:
    | '/settings/members'
    | '/settings/vendor-keys'
    | '/settings/integrations'
    | '/settings/retention'
    | '/billing';
  readonly label: string;
  readonly icon: LucideIcon;
}

/** What the settings lead to, in this order. A section is listed once its route exists (`app/routes.ts`). */
export const SETTINGS_SECTIONS: readonly SettingsSection[] = [
  { to: '/settings/members', label: 'Members', icon: Users },
  { to: '/settings/vendor-keys', label: 'Vendor keys', icon: KeySquare },
  { to: '/settings/integrations', label: 'Integrations', icon: Plug },
  { to: '/settings/retention', label: 'Data retention', icon: DatabaseZap },
  { to: '/billing', label: 'Billing', icon: CreditCard },
];
