import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { commandGroups } from '../../src/cli/commands/index.ts'
import { type Role, settingsOf } from '../../src/cli/config/settings.ts'

const read = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')
const commands = commandGroups.flatMap((group) => group.commands.map(({ name }) => name))

/** Variables of a role, and its value checked as the command does. */
function problemsOf(role: Role, env: Record<string, string | undefined>): string[] {
  const known = new Map(settingsOf(role).flatMap(([, each]) => each.env.map((name) => [name, each] as const)))
  return Object.entries(env).flatMap(([name, value]) => {
    const setting = known.get(name)
    if (!setting) return [`${role} has no setting ${name}`]
    try {
      if (value !== undefined) setting.read(value)
      return []
    } catch (error) {
      return [`${name} ${(error as Error).message}`]
    }
  })
}

interface Service {
  image?: string
  command?: string[]
  user?: string
  read_only?: boolean
  environment?: Record<string, string>
  healthcheck?: { test: string[] }
  stop_grace_period?: string
  deploy?: { replicas: number }
}

describe('the Compose example', () => {
  const { services, secrets } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>
    secrets: Record<string, { file: string }>
  }

  it('has two gateways, three workers, Postgres and Redis, each with an image and a health check', () => {
    expect(services.gateway?.deploy).toEqual({ replicas: 2 })
    expect(services.worker?.deploy).toEqual({ replicas: 3 })
    for (const name of ['gateway', 'worker', 'postgres', 'redis'])
      expect([name, services[name]?.image, services[name]?.healthcheck?.test[0]]).toEqual([
        name,
        expect.stringMatching(/^[\w/.-]+(:\d+)?$/),
        expect.stringMatching(/^CMD/),
      ])
  })

  it.each([
    ['gateway', 'serve'],
    ['worker', 'worker'],
  ] as const)('%s uses variables that exist, and is not root', (name, role) => {
    const { environment = {}, command, user, read_only, stop_grace_period } = services[name] ?? {}
    const plain = Object.entries(environment).map(([key, value]) => [key, value.includes('${') ? undefined : value])
    expect(problemsOf(role, Object.fromEntries(plain))).toEqual([])
    expect({ command, user, read_only }).toEqual({ command: [role], user: '1000:1000', read_only: true })
    expect(Number.parseInt(stop_grace_period ?? '', 10)).toBeGreaterThan(Number(environment.HOLDPOINT_GRACE_SECONDS))
  })

  it('keeps its secrets and packages of this machine out of the image', () => {
    expect(read('Dockerfile')).toContain('COPY . .')
    const ignored = read('.dockerignore').split('\n')
    for (const { file } of Object.values(secrets)) expect(ignored).toContain(file.split('/')[1])
    expect(ignored).toContain('node_modules')
  })

  it('keeps secrets outside of the file', () => {
    const text = read('compose.yaml')
    for (const name of ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'HOLDPOINT_JWT_SECRET', 'HOLDPOINT_METRICS_TOKEN'])
      expect(text).toContain(`\${${name}:?}`)
  })
})

interface Probe {
  httpGet?: { path: string; port: string }
}
interface Container {
  name: string
  image: string
  args?: string[]
  ports?: { name?: string; containerPort: number }[]
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[]
  livenessProbe?: Probe
  readinessProbe?: Probe
  startupProbe?: Probe
  lifecycle?: { preStop: { exec: { command: string[] } } }
  securityContext: { allowPrivilegeEscalation: boolean; readOnlyRootFilesystem?: boolean }
}
interface Resource {
  kind: string
  metadata: { name: string }
  stringData?: Record<string, string>
  spec: {
    replicas: number
    selector: { matchLabels: Record<string, string> }
    template: {
      metadata?: { labels: Record<string, string> }
      spec: {
        enableServiceLinks?: boolean
        terminationGracePeriodSeconds: number
        securityContext: { runAsNonRoot: boolean; runAsUser: number }
        containers: [Container]
      }
    }
  }
}

function resources(name: string): Resource[] {
  const documents = parseAllDocuments(read(name))
  if (!Array.isArray(documents)) throw new Error(`${name} is empty`)
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([])
  return documents.map((document) => document.toJS() as Resource)
}

describe('the Kubernetes example', () => {
  const all = [...resources('kubernetes/holdpoint.yaml'), ...resources('kubernetes/backends.yaml')]
  const pods = all.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))
  const named = (name: string) => pods.find(({ metadata }) => metadata.name === name)!

  it('has two gateways and three workers, whose selectors match their pods', () => {
    expect([named('holdpoint-gateway').spec.replicas, named('holdpoint-worker').spec.replicas]).toEqual([2, 3])
    for (const { kind, spec } of pods)
      if (kind !== 'Job') expect(spec.template.metadata?.labels).toEqual(spec.selector.matchLabels)
  })

  it('every pod is not root, and every secret that one names exists', () => {
    const secrets = new Map(
      all.filter(({ kind }) => kind === 'Secret').map((each) => [each.metadata.name, each.stringData]),
    )
    for (const { spec } of pods) {
      const [{ env = [], securityContext, image }] = spec.template.spec.containers
      expect(image).toMatch(/^[\w./-]+:[\w.]+$/)
      expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: expect.any(Number) })
      expect(securityContext.allowPrivilegeEscalation).toBe(false)
      for (const { valueFrom } of env)
        if (valueFrom) expect(secrets.get(valueFrom.secretKeyRef.name)).toHaveProperty(valueFrom.secretKeyRef.key)
    }
  })

  it.each([
    ['holdpoint-gateway', 'serve'],
    ['holdpoint-worker', 'worker'],
  ] as const)('%s uses variables that exist, is probed at its own port, and has time to end', (name, role) => {
    const { spec } = named(name).spec.template
    const [{ args, env = [], ports, lifecycle, ...probes }] = spec.containers
    const secrets = all.find(({ metadata }) => metadata.name === 'holdpoint-secrets')?.stringData
    const values = Object.fromEntries(env.map((each) => [each.name, each.value ?? secrets?.[each.name]]))
    expect(problemsOf(role, values)).toEqual([])
    expect(args).toEqual([role])
    expect(spec.enableServiceLinks).toBe(false)
    const port = ports?.[0]
    expect(String(port?.containerPort)).toBe(values[role === 'serve' ? 'HOLDPOINT_PORT' : 'HOLDPOINT_HEALTH_PORT'])
    expect(probes.livenessProbe?.httpGet).toEqual({ path: '/healthz', port: port?.name })
    expect(probes.startupProbe?.httpGet).toEqual({ path: '/healthz', port: port?.name })
    expect(probes.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: port?.name })
    expect(probes.securityContext.readOnlyRootFilesystem).toBe(true)
    const sleeps = Number(lifecycle?.preStop.exec.command[1] ?? 0)
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(sleeps + Number(values.HOLDPOINT_GRACE_SECONDS))
  })

  it('every command that an example runs exists', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> }
    const ours = Object.values(services).filter(({ image }) => image === 'holdpoint-app')
    const used = [
      ...ours.map(({ command }) => command?.[0]),
      ...pods.map(({ spec }) => spec.template.spec.containers[0].args?.[0]),
    ]
    expect(used.filter((name) => name !== undefined && !commands.includes(name))).toEqual([])
    expect(ours).toHaveLength(3)
  })
})
