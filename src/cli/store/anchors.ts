import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../../protocol/errors.ts'
import { CliError } from '../command-line/errors.ts'

/** The end of a thread as it was once, kept where those who can write the store cannot. */
export interface Anchor {
  readonly tenant: string
  readonly threadId: string
  readonly version: number
  readonly hash: string
}

const file = z.object({
  threads: z.array(
    z.object({
      tenant: z.string(),
      threadId: z.string(),
      head: z.object({ version: z.int().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/) }),
    }),
  ),
})

/** Reads what `audit verify --json` printed. One that was printed of a broken store has no ends to compare with, and is refused. */
export function readAnchors(cwd: string, path: string): Anchor[] {
  try {
    const { threads } = file.parse(JSON.parse(readFileSync(resolve(cwd, path), 'utf8')))
    return threads.map(({ head, ...thread }) => ({ ...thread, ...head }))
  } catch (error) {
    const problem = error instanceof z.ZodError ? firstIssue(error) : messageOf(error)
    throw new CliError(
      'anchor_invalid',
      `${path} cannot be compared with: ${problem}. It must be what holdpoint audit verify --json printed when all was well.`,
    )
  }
}

function firstIssue({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') || 'the file'}: ${issue?.message}`
}
