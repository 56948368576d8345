import { expect, it } from 'vitest'
import type { HitlRequest } from '../../index.ts'
import { afterWithdrawal } from './outcome.ts'

it('a request whose decision was withdrawn is open again, or has expired meanwhile', () => {
  const request = { status: 'open', version: 3 } as HitlRequest
  expect(afterWithdrawal(request)).toBe('The request is open again, at version 3.')
  expect(afterWithdrawal({ ...request, status: 'expired' })).toMatch(/deadline had passed.*has expired/)
})
