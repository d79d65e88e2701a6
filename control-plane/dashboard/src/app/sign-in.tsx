import type { ReactNode } from 'react';
import { unsavedEdits } from '../pages/agents/editor/unsaved-edits.js';
import { CodeBlock } from '../ui/code-block.js';
import { ProviderSignIn } from './provider-sign-in.js';

const TITLES: Readonly<Record<string, string>> = {
  login_link_invalid: 'This link was used already, or is too old',
  session_expired: 'Your session is over',
  invalid_session: 'Nobody of this service has this session',
};

/** How to sign in: by a one-time link, or by the identity provider's session. */
export function SignIn({ code }: { readonly code: string }): ReactNode {
  const { isKept } = unsavedEdits;
  return (
    <main className="mx-auto flex min-h-full max-w-md flex-col justify-center gap-3 p-6">
      <title>Sign in · Voice agents</title>
      <h1 className="text-xl font-semibold">
        {isKept && code === 'missing_credentials' ? TITLES.session_expired : (TITLES[code] ?? 'Sign in')}
      </h1>
      {isKept && (
        <p role="status" className="rounded-lg border border-line bg-warn-soft px-4 py-2.5">
          You had changes of an agent that are not saved. Leave this tab open, sign in in another one and come
          back: they are here again.
        </p>
      )}
      <ProviderSignIn />
      <p>Open the link that was printed when the system started, or make a new one on its machine:</p>
      <CodeBlock code="npm run login" label="the command" />
      <p className="text-muted">
        A link works once, for 15 minutes. Who was invited asks an owner of the account for a new one.
      </p>
    </main>
  );
}
