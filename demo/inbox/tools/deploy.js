import { tool } from 'holdpoint'
import { z } from 'zod'
import { perform } from '../deps.js'

const DIFF = `--- a/config/checkout.yaml
+++ b/config/checkout.yaml
@@ -11,5 +11,7 @@
 payments:
-  retries: 2
-  timeoutMs: 1500
+  retries: 5
+  timeoutMs: 4000
+  fallback: queue
+  queueLimit: 500
   currency: EUR
   provider: main
`

export const ciStatus = tool({
  name: 'ci_status',
  description: 'Says how the tests of a commit went.',
  parameters: z.object({ commit: z.string() }),
  idempotent: true,
  execute: ({ commit }) => `${commit} · 1,204 passed`,
})

/** The facts that a deploy rests on change while it waits. @param {import('../notebook.js').Notebook} notebook */
export function deployTool(notebook) {
  return tool({
    name: 'deploy',
    description: 'Rolls a version of a service out.',
    parameters: z.object({
      service: z.string(),
      version: z.string(),
      image: z.string(),
      strategy: z.enum(['rolling', 'blue-green']),
      environment: z.enum(['staging', 'production']),
      registryToken: z.string(),
    }),
    risk: 'high',
    idempotent: true,
    display: {
      title: 'Deploy {service} {version} to {environment}',
      fields: {
        service: 'id',
        version: 'id',
        image: 'url',
        strategy: 'enum',
        environment: 'enum',
        registryToken: { format: 'secret', label: 'registry token' },
      },
      environment: ({ environment }) => environment,
      affected: ({ environment }) => (environment === 'production' ? '12 instances, all shoppers' : '1 instance'),
    },
    preview: ({ service }) => ({ file: `config/${service}.yaml`, diff: DIFF }),
    preconditions: ({ service }) => {
      const { facts } = notebook.read()
      return {
        'Running version': facts[`${service}.running`] ?? '3.17.3',
        'Error rate, 15 min': facts[`${service}.errors`] ?? '0.04 %',
        'Tests of a41c9e2': '1,204 passed',
        'Freeze calendar': 'open',
      }
    },
    execute: ({ service, version, environment }, ctx) =>
      perform(ctx, `deployed ${service} ${version} to ${environment}`),
  })
}
