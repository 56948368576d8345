/** The parameters of the SQL function `append`, in order. Those that earlier builds do not pass have a default. `a_state` is the body of the snapshot. */
export const APPEND_PARAMETERS = [
  { name: 'a_tenant', type: 'text' },
  { name: 'a_thread', type: 'text' },
  { name: 'a_name', type: 'text' },
  { name: 'a_id', type: 'bytea' },
  { name: 'a_time', type: 'bigint' },
  { name: 'a_fixed', type: 'boolean' },
  { name: 'a_version', type: 'double precision' },
  { name: 'a_head', type: 'text' },
  { name: 'a_op', type: 'text' },
  { name: 'a_holder', type: 'text' },
  { name: 'a_token', type: 'double precision' },
  { name: 'a_over', type: 'text' },
  { name: 'a_ttl', type: 'double precision' },
  { name: 'a_drop', type: 'boolean' },
  { name: 'a_bodies', type: 'text[]' },
  { name: 'a_salts', type: 'bytea' },
  { name: 'a_hashes', type: 'bytea' },
  { name: 'a_requests', type: 'json' },
  { name: 'a_grants', type: 'json' },
  { name: 'a_keyed', type: 'boolean' },
  { name: 'a_patience', type: 'integer' },
  { name: 'a_records', type: 'json', default: 'NULL' },
  { name: 'a_wake', type: 'json', default: 'NULL' },
  { name: 'a_erase', type: 'json', default: 'NULL' },
  { name: 'a_snapshot', type: 'json', default: 'NULL' },
  { name: 'a_state', type: 'text', default: 'NULL' },
  { name: 'a_chunks', type: 'text[]', default: 'NULL' },
] as const satisfies readonly AppendParameter[]

/** One of them. */
interface AppendParameter {
  readonly name: string
  readonly type: string
  readonly default?: string
}

/** As the function declares them. */
export function declaredParameters(): string {
  return APPEND_PARAMETERS.map(
    (parameter) =>
      `${parameter.name} ${parameter.type}${'default' in parameter ? ` DEFAULT ${parameter.default}` : ''}`,
  ).join(', ')
}
