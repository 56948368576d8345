import { expect, it } from 'vitest'
import { checkPostgresAddress, checkRedisAddress } from './server-address.ts'

it('refuses what is no address of Postgres, and quotes no password', () => {
  for (const address of [
    'postgres://a/b',
    'POSTGRESQL://a:p@ss/w?rd@b',
    'pg://a',
    'socket:///run?db=b',
    '/run/postgresql b',
  ])
    expect(() => checkPostgresAddress('connectionString', address)).not.toThrow()
  for (const address of [
    'u:secret@localhost/app',
    'localhost:5432/app',
    'host=localhost password=secret',
    'redis://:secret@a',
    '',
  ])
    expect(() => checkPostgresAddress('connectionString', address)).toThrow(
      /^connectionString must begin with postgres:\/\/, as in postgres:\/\/user:password@host:5432\/database\.$/,
    )
})

it('refuses the address of another server as one of Redis', () => {
  for (const address of [
    'redis://a',
    'rediss://a',
    'redis+cluster://a,b',
    'RediSS+cluster://a',
    'localhost:6379',
    '/run/redis.sock',
    '6379',
  ])
    expect(() => checkRedisAddress('connection', address)).not.toThrow()
  for (const address of ['postgres://u:secret@a/b', 'http://a', 'redis+clusters://a'])
    expect(() => checkRedisAddress('connection', address)).toThrow(/^connection must begin with redis:\/\/[^@]*$/)
})
