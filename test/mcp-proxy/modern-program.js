import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { modernServer } from './modern-server.js'

serveStdio(() => modernServer(() => undefined), { legacy: 'reject' })
