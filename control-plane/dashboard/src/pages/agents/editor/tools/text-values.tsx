import { type ReactNode, useState } from 'react';
import { Field, TextArea } from '../../../../ui/field.js';
import { SecretHeadersField } from './secret-headers-field.js';
import { headerLines, nameLines, type Parsed, parseHeaders, parseObject } from './tools.js';
import { useToolValue, useUnreadText } from './use-tool-value.js';

interface TextValueProps {
  readonly at: number;
  /** The field of the tool. */
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly write: (value: unknown) => string;
  /** `undefined` leaves the field out. */
  readonly read: (text: string) => Parsed<unknown>;
}

/** A value of a tool as text; what is not whole yet stays text, and nothing is saved before it is. */
function TextValue({ at, name, label, hint, rows = 3, placeholder, write, read }: TextValueProps): ReactNode {
  const [value, setValue] = useToolValue(at, name);
  const [unread, enter] = useUnreadText(at, name);
  const [text, setText] = useState(() => unread ?? write(value));
  const parsed = read(text);
  return (
    <Field label={label} hint={hint} error={parsed.ok ? undefined : parsed.problem}>
      {(ids) => (
        <TextArea
          {...ids}
          value={text}
          spellCheck={false}
          rows={rows}
          placeholder={placeholder}
          className="font-mono text-xs"
          onChange={({ target }) => {
            setText(target.value);
            const next = read(target.value);
            enter(target.value, next);
            if (next.ok) setValue(next.value);
          }}
        />
      )}
    </Field>
  );
}

const SCHEMA_EXAMPLE = '{"type": "object", "properties": {}}';

/** The JSON Schema of a tool's arguments. */
export const ParametersField = ({ at }: { readonly at: number }): ReactNode => (
  <TextValue
    at={at}
    name="parameters"
    label="Arguments, as JSON Schema"
    hint="What the model fills in."
    rows={6}
    write={(value) => JSON.stringify(value ?? {}, null, 2)}
    read={(text) => parseObject(text, SCHEMA_EXAMPLE)}
  />
);

/** Headers of a tool's requests: those that are shown again, and those that are secret. */
export const HeaderFields = ({ at }: { readonly at: number }): ReactNode => (
  <div className="grid gap-3 sm:grid-cols-2">
    <TextValue
      at={at}
      name="headers"
      label="Headers"
      hint="One a line, as X-Team: sales."
      write={headerLines}
      read={parseHeaders}
    />
    <SecretHeadersField at={at} />
  </div>
);

/** Which tools of a server the agent gets. */
export const AllowedToolsField = ({ at }: { readonly at: number }): ReactNode => (
  <TextValue
    at={at}
    name="allowed_tools"
    label="Tools that the agent gets"
    hint="The server's own names, one a line. Empty: all, 32 at most."
    write={(value) => (Array.isArray(value) ? value.join('\n') : '')}
    read={(text) => ({ ok: true, value: nameLines(text) })}
  />
);
