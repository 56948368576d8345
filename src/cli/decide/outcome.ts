import type { HitlRequest } from '../../index.ts'
import type { Context } from '../command-line/context.ts'
import { requestLine } from '../render/request.ts'
import { visible } from '../render/visible.ts'
import { hanging } from '../render/width.ts'

/** What was done by whom (`Approved by ann:`), and to what. */
export function outcomeLines(context: Context, done: { word: string; by: string; request: HitlRequest }): string[] {
  const { word, by, request } = done
  return [
    `${context.style.good(word)} by ${visible(by)}:`,
    ...hanging(requestLine(request), context.columns()).map((line) => context.style.bold(line)),
  ]
}

/** What a request is after its decision was withdrawn. */
export function afterWithdrawal({ status, version }: HitlRequest): string {
  return status === 'expired'
    ? 'Its deadline had passed meanwhile, so the request has expired: nobody can decide it any more.'
    : `The request is open again, at version ${version}.`
}
