import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { messageOf } from '../../protocol/errors/errors.ts'
import type { Call } from '../command-line/command.ts'
import { CliError } from '../command-line/errors.ts'
import { requireFile } from '../command-line/files.ts'

const CODE = 'anchor_invalid'

/** The head of a thread at some earlier time, kept where people who can write the store cannot change it. */
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

/** Reads a file that `audit verify --json` printed. If the store was broken then, the file has no heads to compare with and is refused. */
export function readAnchors(call: Call, path: string): Anchor[] {
  const full = requireFile(call, path, CODE)
  try {
    const { threads } = file.parse(JSON.parse(readFileSync(full, 'utf8')))
    return threads.map(({ head, ...thread }) => ({ ...thread, ...head }))
  } catch (error) {
    const problem = error instanceof z.ZodError ? firstIssue(error) : messageOf(error)
    throw new CliError(
      CODE,
      `${path} cannot be used as an anchor: ${problem}. It must be the output of holdpoint audit verify --json for a store that was intact.`,
    )
  }
}

function firstIssue({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') || 'the file'}: ${issue?.message}`
}
