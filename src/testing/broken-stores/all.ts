import type { BrokenStore } from './broken-store.ts'
import { brokenChunks } from './chunks.ts'
import { brokenContent } from './content.ts'
import { brokenDue } from './due.ts'
import { brokenErasure } from './erase.ts'
import { brokenGrants } from './grants.ts'
import { brokenGuards } from './guards.ts'
import { brokenLists, brokenOutboxes, brokenRecords } from './inbox.ts'
import { brokenLife } from './life.ts'
import { brokenParts } from './parts.ts'
import { brokenSnapshots } from './snapshots.ts'
import { brokenTrust } from './tampered.ts'
import { brokenThreads } from './threads.ts'
import { brokenWakeMarks } from './wake.ts'

/** Every deliberately broken store. The store suite must reject each, by the cases that it names. */
export const brokenStores: readonly BrokenStore[] = [
  ...brokenGuards,
  ...brokenGrants,
  ...brokenContent,
  ...brokenDue,
  ...brokenThreads,
  ...brokenWakeMarks,
  ...brokenLife,
  ...brokenParts,
  ...brokenTrust,
  ...brokenErasure,
  ...brokenSnapshots,
  ...brokenChunks,
  ...brokenRecords,
  ...brokenOutboxes,
  ...brokenLists,
]
