import { describeConformance } from '../conformance.ts'
import { sqliteHarness } from './harness.ts'

describeConformance('the SQLite store on libsql, safe from power cuts', sqliteHarness({ driver: 'libsql' }))
describeConformance(
  'the SQLite store on libsql, safe from killed processes',
  sqliteHarness({ driver: 'libsql', durability: 'process' }),
)
