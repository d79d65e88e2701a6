import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import { counted } from '../../format/words.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Input } from '../../ui/field.js';
import { VirtualList } from '../../ui/virtual-list.js';

/** Puts the numbers of a CSV file on the list, and lists the rows that were left out. */
export function ImportNumbers({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const upload = useMutation({
    mutationFn: async (chosen: File) => {
      // Browsers do not send a file that was saved anew since it was chosen.
      const bytes = await chosen.arrayBuffer().catch(() => {
        throw new Error('The file was changed after you chose it. Choose it again.');
      });
      return dataOf(
        api.POST('/api/v1/compliance/dnc/import', {
          // The file goes into the form; the description knows its text alone.
          body: { file: '' },
          bodySerializer: () => {
            const form = new FormData();
            form.append('file', new File([bytes], chosen.name, { type: chosen.type }));
            return form;
          },
        }),
      );
    },
    onSuccess: () => client.invalidateQueries({ queryKey: [mode, 'dnc'] }),
  });
  const { data } = upload;
  if (data !== undefined) {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title={`${counted(data.added, 'number')} added`}
        description={`Of ${counted(data.rows, 'row')}: ${data.already_listed.toLocaleString('en-US')} on the list before, ${data.error_count.toLocaleString('en-US')} left out.`}
        actions={
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        {data.errors.length > 0 && (
          <section>
            <h3 className="mb-1 font-semibold">Rows that were left out</h3>
            <VirtualList
              label="Rows that were left out"
              rows={data.errors}
              idOf={({ line }) => String(line)}
              rowHeight={33}
              className="max-h-64 rounded-md border border-line"
            >
              {({ line, message }) => (
                <div className="flex gap-3 border-b border-line px-3 py-1.5">
                  <span className="w-16 shrink-0 text-muted tabular-nums">Line {line}</span>
                  <span className="min-w-0 break-words">{message}</span>
                </div>
              )}
            </VirtualList>
          </section>
        )}
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Import numbers"
      description="Numbers that are on the list stay as they are. Rows without a usable number are left out and listed."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (file !== null) upload.mutate(file);
        }}
      >
        <Field label="CSV file" hint="With a column named phone, or the numbers first. At most 100,000 rows.">
          {(ids) => (
            <Input
              {...ids}
              type="file"
              accept=".csv,text/csv"
              onClick={({ currentTarget }) => {
                // The same file again, corrected meanwhile, is a change, too.
                currentTarget.value = '';
                setFile(null);
              }}
              onChange={({ target }) => {
                upload.reset();
                setFile(target.files?.[0] ?? null);
              }}
            />
          )}
        </Field>
        {upload.isError && <ErrorState title="The file could not be imported" error={upload.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={file === null} busy={upload.isPending}>
            Import
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
