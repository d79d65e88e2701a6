/**
 * The guides' commands of Docker and Kubernetes, and those that prepare for them. `npm run test:deployment` runs each
 * where the machine has what it needs.
 */
export const DEPLOYMENT = {
  fillIn: 'cp infra/docker/example.env infra/.env && chmod 600 infra/.env',
  fillInVendors: 'cp infra/docker/control-plane.example.env infra/control-plane.env',
  up: 'docker compose -f infra/compose.yaml up --build --detach',
  key: 'docker compose -f infra/compose.yaml exec control-plane env API_URL=http://127.0.0.1:8080 node infra/dist/cli/key.js --name first',
  build:
    'docker build --file infra/docker/Dockerfile --tag registry.example.com/voice-agent-platform:1.0.0 .',
  push: 'docker push registry.example.com/voice-agent-platform:1.0.0',
  overlay: 'cp -r infra/kubernetes/example infra/kubernetes/mine',
  apply: 'kubectl apply --kustomize infra/kubernetes/mine',
} as const;
