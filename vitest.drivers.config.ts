import { defineConfig } from 'vitest/config'
import { DRIVERS } from './vitest.config.ts'

export default defineConfig({ test: { include: [DRIVERS], pool: 'forks', testTimeout: 180_000 } })
