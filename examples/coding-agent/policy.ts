// Every tool but the harmless ones is asked about: also those that do not exist yet.
import { definePolicy } from 'holdpoint'

const FREE = ['Read', 'Glob', 'Grep']

export default definePolicy(
  ({ toolName }) => (FREE.includes(toolName) ? { verdict: 'allow' } : { verdict: 'review', timeoutSeconds: 3600 }),
  { name: 'coding', version: '1' },
)
