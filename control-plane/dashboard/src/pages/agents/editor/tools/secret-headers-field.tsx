import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import { Button } from '../../../../ui/button.js';
import { Field, TextArea } from '../../../../ui/field.js';
import type { AgentForm } from '../form.js';
import { problemOf } from './problem.js';
import { enteredHeaders, keptNames, type SentHeaders, sentHeaders } from './secret-headers.js';
import { headerLines, parseHeaders } from './tools.js';
import { useToolValue, useUnreadText } from './use-tool-value.js';

/** Headers whose values go in and are never shown: the stored ones by name, each to be removed, and new ones. */
export function SecretHeadersField({ at }: { readonly at: number }): ReactNode {
  const { formState } = useFormContext<AgentForm>();
  const [names] = useToolValue(at, 'secret_header_names');
  const [value, setValue] = useToolValue(at, 'secret_headers');
  const sent = value as SentHeaders;
  const stored = (names ?? []) as readonly string[];
  const kept = keptNames(stored, sent);
  const [unread, enter] = useUnreadText(at, 'secret_headers');
  const [text, setText] = useState(() => unread ?? headerLines(enteredHeaders(sent)));
  const parsed = parseHeaders(text);
  const entered = parsed.ok ? parsed.value : enteredHeaders(sent);
  const keep = (next: readonly string[]) => setValue(sentHeaders(stored, next, entered));
  const refused = stored.find(
    (name) => problemOf(formState.errors, `tools.${at}.secret_headers.${name}`) !== undefined,
  );
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Secret headers"
        hint={
          stored.length === 0
            ? 'One a line. Never shown again.'
            : 'Those to add or to replace, one a line. Never shown again.'
        }
        error={
          parsed.ok
            ? refused === undefined
              ? undefined
              : `${refused} is stored for another server or tool name. Enter its value again, or remove it.`
            : parsed.problem
        }
      >
        {(ids) => (
          <TextArea
            {...ids}
            value={text}
            spellCheck={false}
            rows={3}
            placeholder="Authorization: Bearer …"
            className="font-mono text-xs"
            onChange={({ target }) => {
              setText(target.value);
              const next = parseHeaders(target.value);
              enter(target.value, next);
              if (!next.ok) return;
              // One whose new value is taken out again is as it was before.
              const back = stored.filter((name) => name in entered && !(name in next.value));
              setValue(sentHeaders(stored, [...kept, ...back], next.value));
            }}
          />
        )}
      </Field>
      {kept.length > 0 && (
        <ul aria-label="Stored secret headers" className="flex flex-wrap gap-1.5">
          {kept.map((name) => (
            <li
              key={name}
              className="inline-flex items-center gap-1 rounded-md border border-line bg-sunken pl-2 font-mono text-xs"
            >
              {name}
              <Button
                variant="ghost"
                size="small"
                aria-label={`Remove the stored header ${name}`}
                onClick={() => keep(kept.filter((other) => other !== name))}
              >
                <X aria-hidden className="size-3.5" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {kept.length < stored.length && (
        <p role="status" className="text-xs text-muted">
          What is removed or replaced is gone once you save.
        </p>
      )}
    </div>
  );
}
