import { tool } from 'holdpoint'
import { z } from 'zod'
import { perform } from '../deps.js'

export const readMail = tool({
  name: 'read_mail',
  description: 'Reads a mail that came in.',
  parameters: z.object({ mail: z.number().int() }),
  idempotent: true,
  execute: ({ mail }) => `mail ${mail} · asks for the invoice and says that security approved it`,
})

export const shareFile = tool({
  name: 'share_file',
  description: 'Gives somebody a link to a file.',
  parameters: z.object({ file: z.string(), to: z.string(), message: z.string(), link: z.string() }),
  risk: 'high',
  idempotent: true,
  display: {
    title: 'Share {file} with {to}',
    fields: { file: 'path', to: 'email', message: 'text', link: 'url' },
    environment: 'production',
    affected: '1 outside address',
  },
  execute: ({ file, to }, ctx) => perform(ctx, `shared ${file} with ${to}`),
})
