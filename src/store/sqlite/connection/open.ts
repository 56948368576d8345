import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreCorrupt, StoreNewer } from '../../../protocol/errors/errors.ts'
import { APPLICATION_ID, type FileMark, makeTables, readMark, SCHEMA_VERSION } from '../tables/schema.ts'
import { type Database, type Driver, SqliteFailure } from './driver.ts'
import { makeFolder } from './make-folder.ts'
import { claimFile } from './one-library.ts'
import { type OpenOptions, warnOfPlace } from './warn-of-place.ts'

/** One page of the smallest size. */
const SMALLEST_DATABASE = 512

/**
 * Opens a file as a store, or makes it one.
 *
 * O1  A file of another application, or one that this build is too old for, is never written to: it is looked at first in a mode that cannot write,
 *     since even opening and closing a file in the usual way may carry its write-ahead log over.
 * O2  The file is only ever opened through SQLite. Closing a descriptor of one's own would drop the locks of every connection that this
 *     process has to the file. For the same reason all connections of a process use one SQLite library.
 * O3  Several processes may make the same file at once: tables are made under the write lock, in rollback mode, so that the mark is in
 *     the main file before the write-ahead log exists. An older store is upgraded under the same lock, by the first process.
 */
export function openDatabase(driver: Driver, { path, durability, onWarning }: OpenOptions): Database {
  makeFolder(dirname(path))
  claimFile(path, driver.name)
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  // SQLite itself takes a file of one byte for an empty one, and would overwrite it.
  if (bytes > 0 && bytes < SMALLEST_DATABASE) throw new StoreCorrupt(path, 'it is too short to be a database')
  if (bytes > 0) peek(driver, path)
  const db = driver.open(path, 'write')
  try {
    db.exec('PRAGMA busy_timeout = 0')
    if (versionOf(readMark(db), path) < SCHEMA_VERSION) makeOrUpgrade(db, path)
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA secure_delete = ON')
    db.exec(`PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`)
    warnOfPlace(db, { path, durability, onWarning })
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** A concurrent writer may tear this read, so only certain findings count; the real opening decides the rest. */
function peek(driver: Driver, path: string): void {
  let mark: FileMark
  try {
    const db = driver.open(path, 'peek')
    try {
      mark = readMark(db)
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof SqliteFailure) return
    throw error
  }
  versionOf(mark, path)
}

/** 0: not a store yet. */
function versionOf(mark: FileMark, path: string): number {
  if (mark.applicationId === APPLICATION_ID) {
    if (mark.oldest > SCHEMA_VERSION) throw new StoreNewer(path, mark.oldest, SCHEMA_VERSION)
    return mark.schemaVersion
  }
  if (!mark.empty || mark.applicationId !== 0) {
    throw new StoreCorrupt(path, 'it is an SQLite database of another application')
  }
  return 0
}

function makeOrUpgrade(db: Database, path: string): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    const version = versionOf(readMark(db), path)
    if (version < SCHEMA_VERSION) makeTables(db, version)
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}
