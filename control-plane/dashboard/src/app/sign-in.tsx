import type { ReactNode } from 'react';
import { CodeBlock } from '../ui/code-block.js';
import { ProviderSignIn } from './provider-sign-in.js';

const TITLES: Readonly<Record<string, string>> = {
  login_link_invalid: 'This link was used already, or is too old',
  session_expired: 'Your session is over',
  invalid_session: 'Nobody of this service has this session',
};

/** How to sign in: by a one-time link, or by the identity provider's session. */
export function SignIn({ code }: { readonly code: string }): ReactNode {
  return (
    <main className="mx-auto flex min-h-full max-w-md flex-col justify-center gap-3 p-6">
      <title>Sign in · Voice agents</title>
      <h1 className="text-xl font-semibold">{TITLES[code] ?? 'Sign in'}</h1>
      <ProviderSignIn />
      <p>Open the link that was printed when the system started, or make a new one on its machine:</p>
      <CodeBlock code="npm run login" label="the command" />
      <p className="text-muted">
        A link works once, for 15 minutes. Who was invited asks an owner of the account for a new one.
      </p>
    </main>
  );
}
