import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import {
  PrometheusRule,
  ServiceMonitor,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import {
  ConfigMap,
  Namespace,
  PersistentVolumeClaim,
  Secret,
  Service,
  ServiceAccount,
} from 'kubernetes-models/v1';
import type { Manifest } from './documents.js';

interface Kind {
  /** The module that declares its type, `I` and the kind's name. */
  readonly module: string;
  /** Holds an object to the cluster's schema. @throws Error that says what is wrong */
  readonly validate: (object: object) => void;
}

type Model = new (data: never) => { validate(): void };

function kindOf(module: string, Model: Model): Kind {
  return { module, validate: (object) => new Model(object as never).validate() };
}

const CORE = 'kubernetes-models/v1';
const APPS = 'kubernetes-models/apps/v1';
const NETWORKING = 'kubernetes-models/networking.k8s.io/v1';
const MONITORING = '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';

/** The kinds that are used, by `apiVersion/kind`. */
export const KINDS: Readonly<Record<string, Kind>> = {
  'v1/ConfigMap': kindOf(CORE, ConfigMap),
  'v1/Namespace': kindOf(CORE, Namespace),
  'v1/PersistentVolumeClaim': kindOf(CORE, PersistentVolumeClaim),
  'v1/Secret': kindOf(CORE, Secret),
  'v1/Service': kindOf(CORE, Service),
  'v1/ServiceAccount': kindOf(CORE, ServiceAccount),
  'apps/v1/Deployment': kindOf(APPS, Deployment),
  'apps/v1/StatefulSet': kindOf(APPS, StatefulSet),
  'autoscaling/v2/HorizontalPodAutoscaler': kindOf(
    'kubernetes-models/autoscaling/v2',
    HorizontalPodAutoscaler,
  ),
  'networking.k8s.io/v1/Ingress': kindOf(NETWORKING, Ingress),
  'networking.k8s.io/v1/NetworkPolicy': kindOf(NETWORKING, NetworkPolicy),
  'policy/v1/PodDisruptionBudget': kindOf('kubernetes-models/policy/v1', PodDisruptionBudget),
  'keda.sh/v1alpha1/ScaledObject': kindOf('@kubernetes-models/keda/keda.sh/v1alpha1', ScaledObject),
  'monitoring.coreos.com/v1/PrometheusRule': kindOf(MONITORING, PrometheusRule),
  'monitoring.coreos.com/v1/ServiceMonitor': kindOf(MONITORING, ServiceMonitor),
};

export const kindNameOf = ({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string =>
  `${apiVersion}/${kind}`;

/** Whether kustomize alone reads it. */
export const isKustomization = ({ apiVersion }: Pick<Manifest, 'apiVersion'>): boolean =>
  apiVersion.startsWith('kustomize.config.k8s.io/');

/** Returns what is wrong with an object by the cluster's schema: types, formats, what is required. */
export function schemaProblems(manifest: Manifest): string[] {
  const kind = KINDS[kindNameOf(manifest)];
  if (!kind)
    return [`${manifest.file}: no schema for ${kindNameOf(manifest)}; add it to kubernetes-schemas.ts`];
  try {
    kind.validate(manifest.object);
    return [];
  } catch (error) {
    return [`${manifest.file}: ${manifest.kind}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
