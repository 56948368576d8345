import type { Verification } from 'holdpoint/client'
import { useClient } from 'holdpoint/react'
import { useCallback, useState } from 'react'

/** A check of all chains. The server checks a part at a time. */
export type ChainCheck =
  | { state: 'idle' }
  | { state: 'checking'; threads: number }
  | { state: 'done'; found: Omit<Verification, 'next'>; at: number }
  | { state: 'failed'; error: unknown }

/** Checks the hash chains of everything that the person may audit. */
export function useChainCheck(): { check: ChainCheck; start: () => void } {
  const client = useClient()
  const [check, setCheck] = useState<ChainCheck>({ state: 'idle' })
  const start = useCallback(async () => {
    setCheck({ state: 'checking', threads: 0 })
    const problems: Verification['problems'] = []
    const found = { ok: true, threads: 0, entries: 0, erased: 0, signed: true, problems }
    try {
      for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
        const part = await client.verify(after === undefined ? {} : { after })
        found.ok &&= part.ok
        found.signed &&= part.signed
        found.threads += part.threads
        found.entries += part.entries
        found.erased += part.erased
        found.problems.push(...part.problems)
        after = part.next
        setCheck({ state: 'checking', threads: found.threads })
      }
      setCheck({ state: 'done', found, at: Date.now() })
    } catch (error) {
      setCheck({ state: 'failed', error })
    }
  }, [client])
  return { check, start: () => void start() }
}
