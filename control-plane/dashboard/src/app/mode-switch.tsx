import { FlaskConical, Radio } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Mode } from '../api/client.js';
import { useMode } from '../api/mode.js';
import { classes } from '../ui/classes.js';

/** The band across the top: nobody takes one mode for the other. */
export function ModeBand({ mode }: { readonly mode: Mode }): ReactNode {
  return (
    <p
      role="status"
      className={classes(
        'flex h-8 shrink-0 items-center justify-center gap-2 px-3 text-xs font-semibold',
        mode === 'sandbox' ? 'sandbox-stripes text-on-sandbox' : 'bg-live text-on-live',
      )}
    >
      {mode === 'sandbox' ? (
        <>
          <FlaskConical aria-hidden className="size-3.5" /> Sandbox
          <span className="hidden font-medium sm:inline">· simulated people answer, nothing costs money</span>
        </>
      ) : (
        <>
          <Radio aria-hidden className="size-3.5" /> Live
          <span className="hidden font-medium sm:inline">· real phones ring, and every call costs money</span>
        </>
      )}
    </p>
  );
}

/** Chooses between sandbox and live; the address says which, so a link opens in the same one. */
export function ModeSwitch(): ReactNode {
  const [mode, setMode] = useMode();
  return (
    <fieldset className="flex shrink-0 rounded-md border border-line-strong p-0.5">
      <legend className="sr-only">Mode</legend>
      {(['sandbox', 'live'] as const).map((choice) => (
        <label
          key={choice}
          className={classes(
            'rounded px-2 py-1 text-xs font-semibold has-focus-visible:outline-2 has-focus-visible:outline-accent',
            mode === choice
              ? choice === 'sandbox'
                ? 'bg-sandbox text-on-sandbox'
                : 'bg-live text-on-live'
              : 'text-muted hover:bg-sunken',
          )}
        >
          <input
            type="radio"
            name="mode"
            className="sr-only"
            checked={mode === choice}
            onChange={() => setMode(choice)}
          />
          {choice === 'sandbox' ? 'Sandbox' : 'Live'}
        </label>
      ))}
    </fieldset>
  );
}
