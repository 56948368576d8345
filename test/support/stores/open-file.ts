import type { Database, DriverName } from '../../../src/store/sqlite/connection/driver.ts'
import { loadDriver } from '../../../src/store/sqlite/connection/load-driver.ts'

/**
 * Opens an SQLite file behind the store's back, with the library that stores of this process open it with. A second library in the process would
 * neither see the store's locks nor keep its own: it removes the log under the other, which then reads the file as malformed.
 */
export function openFile(path: string, driver?: DriverName): Database {
  return loadDriver(driver).open(path, 'write')
}

/** Works with a file that is opened like this, and closes it. */
export function onFile<T>(path: string, work: (db: Database) => T, driver?: DriverName): T {
  const db = openFile(path, driver)
  try {
    return work(db)
  } finally {
    db.close()
  }
}
