import { createHash } from 'node:crypto'

/** A Lua script: one atomic step in Redis. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** A script with the hash that Redis knows it by. */
export function toScript(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
