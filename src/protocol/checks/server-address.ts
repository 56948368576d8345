import { InputInvalid } from '../errors/errors.ts'

/** A url of Postgres, or the folder of its socket. `pg` takes anything else for a path at a host that is called "base". */
const POSTGRES = /^(?:(?:postgres|postgresql|pg|socket):\/\/|\/)/i
const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i
const REDIS = /^rediss?(?:\+cluster)?:\/\//i

/** Checks the connection string of a Postgres server. The message does not quote it: it may hold a password. */
export function checkPostgresAddress(what: string, address: string): void {
  if (!POSTGRES.test(address))
    throw new InputInvalid(`${what} must begin with postgres://, as in postgres://user:password@host:5432/database.`)
}

/** Checks the address of a Redis server: a url of Redis, or what ioredis takes without a scheme (`host:port`, the path of a socket). */
export function checkRedisAddress(what: string, address: string): void {
  if (SCHEME.test(address) && !REDIS.test(address))
    throw new InputInvalid(`${what} must begin with redis://, rediss://, redis+cluster:// or rediss+cluster://.`)
}
