import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { AudioLines } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Controller, useFormContext } from 'react-hook-form';
import { useApi } from '../../../api/mode.js';
import type { components } from '../../../api/openapi.js';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Field, Input, Select } from '../../../ui/field.js';
import { SkeletonRows } from '../../../ui/skeleton.js';
import { providersQuery } from '../query.js';
import type { AgentForm } from './form.js';
import { ParamInput } from './param-input.js';
import { paramFields, paramsSchemaOf, withParam } from './params.js';
import { withVoice } from './voices/choice.js';

/** With its table, loaded when it is opened. */
const VoiceGallery = lazy(() => import('./voices/gallery.js').then((all) => ({ default: all.VoiceGallery })));

type Provider = components['schemas']['ProviderListResponseProvider'];
type Kind = Provider['kind'];
type Choice = NonNullable<AgentForm['voice_config'][Kind]>;

const LABELS: Readonly<Record<Kind, readonly [string, string]>> = {
  stt: ['Recogniser', 'Turns what the caller says into text.'],
  llm: ['Model', 'Decides what the agent says.'],
  tts: ['Voice', 'Says it.'],
  realtime: ['Speech to speech', 'Hears, thinks and speaks in one model.'],
};

/** What the agent hears, thinks and speaks with. */
export function VoiceSection(): ReactNode {
  const { control, watch } = useFormContext<AgentForm>();
  const providers = useQuery(providersQuery(useApi()));
  if (providers.isPending) return <SkeletonRows rows={5} />;
  if (providers.isLoadingError) {
    return (
      <ErrorState
        title="The providers could not be loaded"
        error={providers.error}
        onRetry={() => void providers.refetch()}
      />
    );
  }
  const config = watch('voice_config');
  const kinds = (Object.keys(LABELS) as Kind[]).filter((kind) => config[kind] !== undefined);
  return (
    <div className="flex flex-col gap-6">
      {kinds.map((kind) => (
        <Controller
          key={kind}
          control={control}
          name={`voice_config.${kind}`}
          render={({ field }) => (
            <Stage
              kind={kind}
              choice={field.value as Choice}
              providers={providers.data.filter((provider) => provider.kind === kind)}
              language={watch('language')}
              onChange={field.onChange}
            />
          )}
        />
      ))}
    </div>
  );
}

function Stage({
  kind,
  choice,
  providers,
  language,
  onChange,
}: {
  readonly kind: Kind;
  readonly choice: Choice;
  readonly providers: readonly Provider[];
  /** The agent's. */
  readonly language: string;
  readonly onChange: (choice: Choice) => void;
}): ReactNode {
  const [choosing, setChoosing] = useState(false);
  const [label, hint] = LABELS[kind];
  const provider = providers.find((one) => one.provider === choice.provider);
  const fields = provider === undefined ? [] : paramFields(paramsSchemaOf(provider, choice.model));
  /** What the API gave it as an object is left to the API. */
  const isPlain = ({ name }: { readonly name: string }) =>
    choice.params[name] === null || typeof choice.params[name] !== 'object';
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-semibold">
        {label} <span className="font-normal text-muted">{hint}</span>
      </legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={`${label}: provider`}>
          {(ids) => (
            <Select
              {...ids}
              value={choice.provider}
              onChange={({ target }) => onChange({ provider: target.value, model: '', params: {} })}
            >
              {providers.map(({ provider: name, configured }) => (
                <option key={name} value={name}>
                  {configured ? name : `${name} (no key yet)`}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={`${label}: model`}>
          {(ids) =>
            provider?.models ? (
              <Select
                {...ids}
                value={choice.model}
                onChange={({ target }) => onChange({ ...choice, model: target.value })}
              >
                <option value="">
                  Default{provider.default_model ? ` (${provider.default_model})` : ''}
                </option>
                {[...new Set([...provider.models, ...(choice.model === '' ? [] : [choice.model])])].map(
                  (model) => (
                    <option key={model}>{model}</option>
                  ),
                )}
              </Select>
            ) : (
              <Input
                {...ids}
                value={choice.model}
                placeholder={provider?.default_model ?? 'default'}
                onChange={({ target }) => onChange({ ...choice, model: target.value })}
              />
            )
          }
        </Field>
        {fields.filter(isPlain).map((param) => (
          <ParamInput
            key={param.name}
            param={param}
            value={choice.params[param.name]}
            onEnter={(text) => onChange({ ...choice, params: withParam(choice.params, param, text) })}
          />
        ))}
      </div>
      {provider !== undefined && !provider.configured && !choice.params.base_url && (
        <p className="text-xs">
          <Badge tone="warn">No key yet</Badge>{' '}
          <Link to="/settings/vendor-keys" className="font-medium text-accent underline">
            Add your key
          </Link>
          , set {provider.environment.join(', ')} where the system runs, or choose another.
        </p>
      )}
      {kind === 'tts' && (
        <div>
          <Button onClick={() => setChoosing(true)}>
            <AudioLines aria-hidden className="size-4" /> Hear and choose a voice
          </Button>
        </div>
      )}
      {choosing && (
        <Suspense fallback={null}>
          <VoiceGallery
            providers={providers.map((one) => one.provider)}
            language={language}
            choice={choice}
            onChoose={(voice) => {
              onChange(withVoice(choice, voice));
              setChoosing(false);
            }}
            onClose={() => setChoosing(false)}
          />
        </Suspense>
      )}
      {provider?.note && <p className="text-xs text-muted">{provider.note}</p>}
    </fieldset>
  );
}
