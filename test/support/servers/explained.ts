import pg from 'pg'

/** A node of a plan, as `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)` has it. */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Rows Removed by Filter'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly PlanNode[]
}

/** A statement that was executed. */
export interface Explained {
  readonly sql: string
  /** All nodes of its plan, the root first. */
  readonly nodes: readonly PlanNode[]
  /** How many pages it looked at, with those of the functions that it called. */
  readonly pages: number
}

/** A pool of one connection that tells the plan of every statement, also of those inside of functions, as it was executed. */
export interface ExplainingPool {
  readonly pool: pg.Pool
  /** The statements of some work. */
  explain(work: () => Promise<unknown>): Promise<Explained[]>
}

const SETTINGS = `LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on; SET auto_explain.log_analyze = on;
SET auto_explain.log_buffers = on; SET auto_explain.log_timing = off; SET auto_explain.log_format = json; SET client_min_messages = log;`

/** Opens such a pool. The connection is made by `pg` alone, so the module of the server does the explaining. */
export function explainingPool(connectionString: string): ExplainingPool {
  let told: Explained[] = []
  const pool = new pg.Pool({ connectionString, max: 1 })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('notice', ({ message }) => {
      const plan = message?.split(/plan:\n/)[1]
      if (plan !== undefined) told.push(toExplained(plan))
    })
    void client.query(SETTINGS)
  })
  return {
    pool,
    async explain(work) {
      told = []
      await work()
      return told
    },
  }
}

function toExplained(text: string): Explained {
  const { 'Query Text': sql, Plan: root } = JSON.parse(text) as { 'Query Text': string; Plan: PlanNode }
  const pages = (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0)
  return { sql, nodes: flatten(root), pages }
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)]
}
