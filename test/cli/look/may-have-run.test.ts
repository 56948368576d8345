import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { holdpoint, startInTerminal, tempDir } from '../support/programs.ts'
import { storePath } from '../support/store.ts'

const LOST_PAYMENT = fileURLToPath(new URL('../support/lost-payment.js', import.meta.url))

/** A process that died in the middle of a payment, and what the next one asks: the id of that request. */
function lostPayment(dir: string): string {
  const pay = () => spawnSync(process.execPath, [LOST_PAYMENT, storePath(dir)], { encoding: 'utf8' })
  expect(pay().signal).toBe('SIGKILL')
  return pay().stdout.trim()
}

it('a list says of a call that it may have run already, and an approval that it runs again', async () => {
  const dir = tempDir()
  const id = lostPayment(dir)
  expect(holdpoint(dir, ['requests']).stdout).toContain(`${id}  may have run already, open\n`)
  const inbox = startInTerminal(dir, ['inbox'], { NO_COLOR: '1' })
  await inbox.shows('[q]uit > ')
  expect(stripVTControlCharacters(inbox.output)).toMatch(/pay {2}cents 500\s+may have run already · cashier in t/)
  inbox.type('q\r')
  await inbox.ended
  const approved = holdpoint(dir, ['approve', id])
  expect(approved.stdout).toContain('It runs again, exactly like this')
  expect(approved.stdout).not.toContain('once')
  expect(holdpoint(dir, ['requests', '--status', 'all']).stdout).not.toContain('may have run already')
})
