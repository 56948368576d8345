import { expect, it } from 'vitest'
import { bullmqQueue, inProcessQueue, postgresQueue } from '../../src/worker.ts'

/** What a program in JavaScript may pass. */
const make =
  (maker: unknown, ...options: unknown[]) =>
  () =>
    (maker as (...given: unknown[]) => unknown)(...options)

it('a queue refuses options that it does not have', () => {
  const connectionString = 'postgres://127.0.0.1:1/x'
  expect(make(inProcessQueue, { delay: 3 })).toThrow('inProcessQueue() has no option "delay"; there are clock.')
  expect(make(bullmqQueue, { connection: 'redis://127.0.0.1:1', prefx: 'a' })).toThrow(
    'bullmqQueue() has no option "prefx"; there are connection, prefix, timeoutMs, lostAfterMs.',
  )
  expect(make(postgresQueue, { connectionString, listenConectionString: connectionString })).toThrow(
    'postgresQueue() has no option "listenConectionString"',
  )
})

it('a queue without its address, or with one of another server, says what it needs', () => {
  for (const given of [undefined, {}])
    expect(make(bullmqQueue, given)).toThrow('bullmqQueue() needs a connection: a url, options of ioredis, or a client')
  expect(make(bullmqQueue, 'redis://127.0.0.1:1')).toThrow('bullmqQueue() takes its options as an object.')
  expect(make(bullmqQueue, { connection: 'postgres://127.0.0.1:1/x' })).toThrow('connection must begin with redis://')
  for (const given of [undefined, {}])
    expect(make(postgresQueue, given)).toThrow('postgresQueue() needs a connectionString')
  expect(make(postgresQueue, { connectionString: 'localhost/app' })).toThrow(
    'connectionString must begin with postgres://',
  )
  expect(
    make(postgresQueue, { connectionString: 'postgres://127.0.0.1:1/x', listenConnectionString: 'localhost' }),
  ).toThrow('listenConnectionString must begin with postgres://')
})
