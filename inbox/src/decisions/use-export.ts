import { useClient } from 'holdpoint/react'
import { useCallback, useState } from 'react'

/** An export of the journals to a file. */
export type Exporting =
  | { state: 'idle' }
  | { state: 'working'; lines: number }
  | { state: 'done'; lines: number }
  | { state: 'failed'; error: unknown }

/** Saves the journals as JSON Lines. A response that breaks off saves nothing: half a record must not pass for a whole one. */
export function useExport(): { exporting: Exporting; start: () => void } {
  const client = useClient()
  const [exporting, setExporting] = useState<Exporting>({ state: 'idle' })
  const start = useCallback(async () => {
    setExporting({ state: 'working', lines: 0 })
    const lines: string[] = []
    try {
      for await (const line of client.audit()) {
        lines.push(`${JSON.stringify(line)}\n`)
        if (lines.length % 1000 === 0) setExporting({ state: 'working', lines: lines.length })
      }
      save(lines)
      setExporting({ state: 'done', lines: lines.length })
    } catch (error) {
      setExporting({ state: 'failed', error })
    }
  }, [client])
  return { exporting, start: () => void start() }
}

function save(lines: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...lines], { type: 'application/x-ndjson' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `holdpoint-audit-${new Date().toISOString().slice(0, 10)}.jsonl`
  link.click()
  URL.revokeObjectURL(url)
}
