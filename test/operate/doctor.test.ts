import { describe, expect, it, onTestFinished } from 'vitest'
import { checkClock } from '../../src/cli/doctor/clock.ts'
import { checked, type Finding } from '../../src/cli/doctor/finding.ts'
import { checkNode } from '../../src/cli/doctor/machine.ts'
import { PeerMissing } from '../../src/protocol/errors/peer-missing.ts'
import { queueRoleScript } from '../../src/queue/postgres/role.ts'
import { roleScript } from '../../src/store/postgres/migrate/role.ts'
import { type Finished, holdpoint, tempDir } from '../cli/support/programs.ts'
import { bouncer, useBouncer } from '../support/servers/bouncer.ts'
import { freePort } from '../support/servers/free-port.ts'
import { startRedisCluster } from '../support/servers/redis-cluster.ts'
import { startRedis } from '../support/servers/redis-server.ts'
import { useAdmin, usePostgres } from '../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'
import { until } from '../support/until.ts'

const server = usePostgres()
const admin = useAdmin(server)
const pooled = useBouncer(server)

function findings({ stdout }: Finished): (level: Finding['level'], what: string) => string | undefined {
  const found = (JSON.parse(stdout) as { findings: Finding[] }).findings
  return (level, what) => found.find((each) => each.level === level && each.what === what)?.message
}

/** A schema with a store in it, and a role that may only read and write its rows. */
async function deployed(schema: string): Promise<string> {
  const { connectionString } = server.get()
  const store = unsyncedPostgres({ connectionString, schema })
  await store.threads({ limit: 1 })
  await store.close()
  await admin.get().query(`CREATE ROLE ${schema}_app LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${schema}_app;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${schema}_app`)
  return connectionString.replace(/\/\/[^@]*@/, `//${schema}_app:hunter2secret@`)
}

describe('holdpoint doctor', () => {
  it('tells server, schema, clock and rights of Postgres, and settings that weaken durability', async () => {
    const store = await deployed('doctor_ok')
    const done = holdpoint(tempDir(), ['doctor', '--json', '--schema', 'doctor_ok'], { HOLDPOINT_STORE: store })
    const has = findings(done)
    expect(has('ok', 'node')).toContain('Node v')
    expect(has('ok', 'store')).toMatch(/^Postgres \d+ answers$/)
    expect(has('ok', 'store clock')).toBeDefined()
    expect(has('ok', 'schema')).toMatch(/^The tables have version \d+$/)
    expect(has('ok', 'rights')).toContain('doctor_ok_app may read and write, and not change the schema')
    // The servers of tests do not sync.
    expect(has('warn', 'store durability')).toContain('fsync = off')
    expect(done).toMatchObject({ code: 1, stderr: '' })
    expect(done.stdout).not.toContain('hunter2secret')
  })

  it('says whether the role may erase threads, and fails if retention needs it to', async () => {
    const { connectionString } = server.get()
    const schema = 'doctor_erase'
    await deployed(schema)
    for (const [role, erase] of [
      ['keeper', false],
      ['eraser', true],
    ] as const)
      await admin.get().query(`${roleScript({ role, schema, erase })}ALTER ROLE ${role} LOGIN`)
    const run = (role: string, ...more: string[]) =>
      findings(
        holdpoint(tempDir(), ['doctor', '--json', '--schema', schema, ...more], {
          HOLDPOINT_STORE: connectionString.replace(/\/\/[^@]*@/, `//${role}:x@`),
        }),
      )
    expect(run('keeper')('ok', 'rights to erase')).toContain('keeper may not erase threads, and retention is off')
    expect(run('keeper', '--retention', '90d')('fail', 'rights to erase')).toContain('keeper may not erase')
    expect(run('eraser', '--retention', '90d')('ok', 'rights to erase')).toContain('eraser may erase threads')
  })

  it('fails for a role that lacks a right to a table which the last migration added', async () => {
    const store = await deployed('doctor_behind')
    const run = (...more: string[]) =>
      findings(
        holdpoint(tempDir(), ['doctor', '--json', '--schema', 'doctor_behind', ...more], { HOLDPOINT_STORE: store }),
      )
    await admin.get().query('REVOKE DELETE ON doctor_behind.chunks FROM doctor_behind_app')
    expect(run()('ok', 'rights')).toBeDefined()
    expect(run('--retention', '90d')('fail', 'rights to erase')).toContain('may not erase threads')
    await admin.get().query('REVOKE ALL ON doctor_behind.chunks FROM doctor_behind_app')
    expect(run()('fail', 'rights')).toBe('The role doctor_behind_app may not read and write all tables: chunks.')
  })

  it('says whether a queue in Postgres is there or will be, and whether the role may use it', async () => {
    const { connectionString } = server.get()
    const [schema, queueSchema] = ['doctor_queue', 'doctor_queue_jobs']
    const store = await deployed(schema)
    const run = (as: string, env: Record<string, string> = {}) =>
      findings(
        holdpoint(tempDir(), ['doctor', '--json', '--schema', schema, '--queue-schema', queueSchema], {
          ...{ HOLDPOINT_STORE: as, HOLDPOINT_QUEUE: as, ...env },
        }),
      )
    const never = { HOLDPOINT_MIGRATE: 'never' }
    expect(run(connectionString)('ok', 'queue schema')).toContain('the first worker creates it')
    expect(run(connectionString, never)('fail', 'queue schema')).toContain('told not to create it')
    expect(run(store)('fail', 'queue schema')).toContain(`the role ${schema}_app may not create it`)

    const at = ['--schema', schema, '--queue-schema', queueSchema]
    expect(holdpoint(tempDir(), ['migrate', '--store', connectionString, ...at])).toMatchObject({ code: 0 })
    expect(run(connectionString)('ok', 'queue rights')).toContain('may ring and consume')
    expect(run(store, never)('fail', 'queue rights')).toContain('_private_jobs')
    await admin.get().query(`GRANT USAGE ON SCHEMA ${queueSchema} TO ${schema}_app;
      GRANT ALL ON ALL TABLES IN SCHEMA ${queueSchema} TO ${schema}_app`)
    // Row security hides every job from a role without a policy, and without an error.
    expect(run(store, never)('fail', 'queue rights')).toContain('_private_jobs')
    await admin.get().query(queueRoleScript({ role: `${schema}_app`, schema: queueSchema }))
    expect(run(store, never)('ok', 'queue rights')).toContain(`The role ${schema}_app may ring and consume`)
    expect(run(store, never)('warn', 'queue trigger')).toBeUndefined()
    await admin.get().query(`DROP TRIGGER holdpoint_ring ON ${schema}.outbox`)
    expect(run(store, never)('warn', 'queue trigger')).toContain('does not ring the queue')
  })

  it('fails for a schema that is missing, behind or ahead, and warns of a superuser', async () => {
    await deployed('doctor_old')
    const { connectionString } = server.get()
    const run = (schema: string) =>
      findings(holdpoint(tempDir(), ['doctor', '--json', '--schema', schema, '--store', connectionString]))
    expect(run('nothing_here')('fail', 'schema')).toBe('There is no store in the schema nothing_here.')
    expect(run('doctor_old')('warn', 'rights')).toContain('superuser')
    await admin.get().query('UPDATE doctor_old.holdpoint_store SET version = version - 1')
    expect(run('doctor_old')('fail', 'schema')).toMatch(/^The tables have version \d+, this build \d+\.$/)
    await admin.get().query('UPDATE doctor_old.holdpoint_store SET oldest = 999, version = 999')
    expect(run('doctor_old')('fail', 'schema')).toMatch(/^The tables need a build of version 999/)
  })

  it('gives advice that makes its finding disappear, also for a schema of its own and a role that was made by hand', async () => {
    const { connectionString } = server.get()
    const dir = tempDir()
    const named = { HOLDPOINT_SCHEMA: 'doctor_told', HOLDPOINT_QUEUE_SCHEMA: 'doctor_told_jobs' }
    const checkAs = (role: string, more: Record<string, string> = {}) => {
      const store = connectionString.replace(/\/\/[^@]*@/, `//${role}:x@`)
      const env = { HOLDPOINT_STORE: store, HOLDPOINT_QUEUE: store, HOLDPOINT_MIGRATE: 'never', ...named, ...more }
      const done = holdpoint(dir, ['doctor', '--json'], env)
      const { findings } = JSON.parse(done.stdout) as { findings: Finding[] }
      return (what: string) => findings.find((each) => each.what === what && each.level === 'fail')
    }
    /** Runs the commands that an advice names, as the owner; what prints a script is sent to the server. */
    const follow = async (advice = '') => {
      for (const [command] of advice.matchAll(/holdpoint migrate(?: --[\w-]+(?: (?!--|prints)[\w:/@.-]*\w)?)*/g)) {
        const words = command
          .replace(/ prints$/, '')
          .split(' ')
          .slice(1)
        const done = holdpoint(dir, words, { HOLDPOINT_STORE: connectionString })
        expect(done.stderr).toBe('')
        if (words.includes('--print-role')) await admin.get().query(done.stdout)
      }
    }
    const owner = checkAs('postgres')
    await follow(owner('schema')?.advice)
    await follow(owner('queue schema')?.advice)
    expect(checkAs('postgres')('schema')).toBeUndefined()
    expect(checkAs('postgres')('queue schema')).toBeUndefined()

    await admin.get().query('CREATE ROLE doctor_hand LOGIN')
    const bare = checkAs('doctor_hand')
    expect(bare('store')).toBeUndefined()
    expect(bare('rights')?.message).toBe('The role doctor_hand may not use the schema doctor_told.')
    await follow(bare('rights')?.advice)
    await follow(checkAs('doctor_hand')('queue rights')?.advice)
    expect(checkAs('doctor_hand')('rights')).toBeUndefined()
    expect(checkAs('doctor_hand')('queue rights')).toBeUndefined()

    const erasing = { HOLDPOINT_RETENTION: '90d' }
    await follow(checkAs('doctor_hand', erasing)('rights to erase')?.advice)
    await admin.get().query('REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA doctor_told FROM PUBLIC, doctor_hand')
    const closed = checkAs('doctor_hand')('rights')
    expect(closed?.message).toMatch(
      /^The role doctor_hand may not call \d+ of the functions in the schema doctor_told\.$/,
    )
    await follow(closed?.advice)
    expect(checkAs('doctor_hand', erasing)('rights')).toBeUndefined()
    // The script takes away what it does not give.
    expect(checkAs('doctor_hand', erasing)('rights to erase')).toBeUndefined()
  })

  it('fails for what cannot be reached, without the password', () => {
    const args = [
      'doctor',
      '--store',
      'postgres://u:hunter2secret@127.0.0.1:1/x',
      '--queue',
      'redis://:hunter2secret@127.0.0.1:1',
    ]
    const done = holdpoint(tempDir(), args)
    expect(done.code).toBe(1)
    expect(done.stdout).toMatch(/^fail {2}store: .*ECONNREFUSED/m)
    expect(done.stdout).toMatch(/^fail {2}queue: .*ECONNREFUSED/m)
    expect(done.stdout).toContain('      Check the address, the network, and user and password.')
    expect(done.stdout + done.stderr).not.toContain('hunter2secret')
  })

  it.skipIf(bouncer.missing)(`says whether notifications arrive behind a PgBouncer${bouncer.note}`, async () => {
    await deployed('doctor_pooled')
    const { connectionString: direct } = server.get()
    const place = pooled.connectionString()
    const run = (...more: string[]) =>
      findings(holdpoint(tempDir(), ['doctor', '--json', '--schema', 'doctor_pooled', ...more]))
    expect(run('--store', direct)('ok', 'store notifications')).toBe('What one process writes reaches the others')
    expect(run('--store', place)('warn', 'store notifications')).toMatch(/^No notification arrived within 2 seconds:/)
    expect(run('--store', place, '--listen', direct, '--queue', place)('ok', 'store notifications')).toBeDefined()
    const wrong = 'postgres://127.0.0.1:1/x'
    expect(run('--store', place, '--listen', wrong)('fail', 'store notifications')).toContain('ECONNREFUSED')
    expect(run('--store', wrong)('fail', 'store notifications')).toBeUndefined()
    expect(run('--store', direct, '--queue', place)('warn', 'queue notifications')).toBeDefined()
    // Such a queue listens where it writes, whatever HOLDPOINT_LISTEN says.
    const { stdout } = holdpoint(tempDir(), ['doctor', '--store', direct, '--listen', direct, '--queue', place])
    expect(stdout).toContain('Behind a PgBouncer, name the queue by the address of the server itself.')
  })

  it('looks at all nodes of a Redis Cluster', async () => {
    const cluster = await startRedisCluster({ nodeTimeoutMs: 2000, password: 'hunter2secret' })
    onTestFinished(() => cluster.remove())
    const run = () =>
      holdpoint(tempDir(), ['doctor', '--json', '--store', 'x.db'], {
        HOLDPOINT_QUEUE: cluster.url,
        HOLDPOINT_STREAMS: cluster.url,
      })
    const sound = run()
    expect(findings(sound)('ok', 'queue cluster')).toBe('all slots are served (3 primaries, 0 replicas)')
    expect(findings(sound)('ok', 'queue')).toMatch(/^Redis \d/)
    expect(findings(sound)('warn', 'streams durability')).toContain('loses open message streams')
    await cluster.nodes[2]!.crash()
    await until(async () => findings(run())('fail', 'streams cluster') !== undefined)
    expect(run().stdout).not.toContain('hunter2secret')
  })

  it('says what Redis forgets, by what it is used for, and whether ports are free', async () => {
    const forgetful = await startRedis()
    onTestFinished(() => forgetful.remove())
    const durable = await startRedis({ durable: true })
    onTestFinished(() => durable.remove())
    const port = String(await freePort())
    const run = (queue: string, streams: string, at: string) =>
      findings(
        holdpoint(tempDir(), [
          'doctor',
          '--json',
          '--store',
          'x.db',
          '--queue',
          queue,
          '--streams',
          streams,
          '--port',
          at,
        ]),
      )
    const weak = run(forgetful.url, forgetful.url, String(forgetful.port))
    expect(weak('ok', 'queue')).toMatch(/^Redis \d/)
    expect(weak('warn', 'queue durability')).toContain('appendonly = no')
    expect(weak('warn', 'streams durability')).toContain('loses open message streams')
    expect(weak('fail', 'port')).toContain('EADDRINUSE')
    expect(weak('fail', 'store')).toContain('There is no store at')
    const strong = run(durable.url, durable.url, port)
    expect(strong('ok', 'queue durability')).toBeDefined()
    expect(strong('ok', 'streams durability')).toBeDefined()
    expect(strong('ok', 'queue clock')).toBeDefined()
    expect(strong('ok', 'port')).toContain(port)
  })

  it('warns of a clock that is off, and not of an answer that took long', () => {
    expect(checkClock('x', { before: 1000, server: 9000, after: 10_000 }).level).toBe('ok')
    expect(checkClock('x', { before: 10_000, server: 70_000, after: 10_010 })).toMatchObject({
      level: 'warn',
      message: "This machine's clock is 60.0 s behind the server's.",
    })
    expect(checkClock('x', { before: 70_000, server: 10_000, after: 70_010 }).message).toContain('60.0 s ahead of')
  })

  it('says what to install where a package is missing, and not to check the address', async () => {
    const missing = () => Promise.reject(new PeerMissing("it needs pg: run 'npm install pg'."))
    expect(await checked('store', 'Check the address.', missing)).toEqual([
      { level: 'fail', what: 'store', message: "it needs pg: run 'npm install pg'." },
    ])
  })

  it('refuses a Node that is too old', () => {
    expect(['v18.20.0', 'v20.18.1', 'v20.19.0', 'v24.0.0'].map((version) => checkNode(version).level)).toEqual([
      ...['fail', 'fail', 'ok', 'ok'],
    ])
  })
})
