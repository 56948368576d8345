import { tool } from 'holdpoint'
import { z } from 'zod'
import { perform } from '../deps.js'

export const resolveSegment = tool({
  name: 'resolve_segment',
  description: 'Counts the people of a segment.',
  parameters: z.object({ segment: z.string() }),
  idempotent: true,
  execute: ({ segment }) => ({ segment, recipients: 3200, newSinceYesterday: 41 }),
})

export const sendMailing = tool({
  name: 'send_mailing',
  description: 'Sends an e-mail to everybody in a segment.',
  parameters: z.object({
    recipients: z.number().int().positive(),
    segment: z.string(),
    subject: z.string().max(120),
    from: z.string(),
    body: z.string().max(10_000),
    sendAt: z.string().default('at once'),
  }),
  risk: 'high',
  idempotent: true,
  display: {
    title: 'Send “{subject}” to {recipients} people',
    fields: {
      recipients: { format: 'number', label: 'recipients' },
      segment: 'text',
      subject: 'text',
      from: 'email',
      body: 'text',
      sendAt: { format: 'text', label: 'send' },
    },
    environment: 'production',
    affected: ({ recipients }) => `${recipients.toLocaleString('en')} people`,
  },
  execute: ({ recipients, subject }, ctx) => perform(ctx, `sent “${subject}” to ${recipients} people`),
})
