import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { Button } from './button.js';

/** Code or JSON to read and copy. */
export function CodeBlock({ code, label }: { readonly code: string; readonly label: string }): ReactNode {
  return (
    <div className="group relative">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-md bg-sunken p-3 pr-11"
      >
        <pre className="font-mono text-xs whitespace-pre-wrap">
          <code>{code}</code>
        </pre>
      </section>
      <div className="absolute top-1 right-1">
        <CopyButton text={code} label={`Copy ${label}`} />
      </div>
    </div>
  );
}

/** Copies a text to the clipboard and says so, also where it cannot. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch {
      setCopied(false);
      // Browsers have no clipboard for a page that is neither on loopback nor https.
      toast.error('It could not be copied', {
        description: isSecureContext
          ? 'The browser refused. Select the text and copy it.'
          : 'Browsers copy for pages over https alone. Select the text and copy it.',
      });
    }
  };
  return (
    <Button variant="ghost" size="icon" aria-label={copied ? 'Copied' : label} onClick={() => void copy()}>
      {copied ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
    </Button>
  );
}
