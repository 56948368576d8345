import type { ForeignCall } from '../../gate.ts'
import { type HitlRequest, toActionRequests } from '../../index.ts'
import type { Asked } from './answers.ts'

/** What an interrupt is made of. */
export interface Shown {
  readonly asked: readonly Asked[]
  /** Those of the requests that nobody has decided. */
  readonly open: readonly HitlRequest[]
  /** What was wrong with the answer before. */
  readonly problems: readonly string[]
  readonly form: 'camel' | 'snake'
}

/** The value of the interrupt: the shape of `humanInTheLoopMiddleware`, with the ids of the requests. */
export function shownTo({ asked, open, problems, form }: Shown): object {
  const items = asked.map(({ id, call }) => {
    const request = open.find((one) => one.id === id)
    return request?.toolName === undefined ? settled({ id, call }, form) : opened(request, form)
  })
  const actions = items.map(({ action }) => action)
  const configs = items.map(({ config }) => config)
  return {
    ...(form === 'snake'
      ? { action_requests: actions, review_configs: configs }
      : { actionRequests: actions, reviewConfigs: configs }),
    ...(problems.length === 0 ? {} : { problems }),
  }
}

interface Item {
  action: object | undefined
  config: object | undefined
}

function opened(request: HitlRequest, form: Shown['form']): Item {
  const shown = toActionRequests([{ ...request, kind: 'approve' }], { case: form })
  return 'actionRequests' in shown
    ? { action: shown.actionRequests[0], config: shown.reviewConfigs[0] }
    : { action: shown.action_requests[0], config: shown.review_configs[0] }
}

function settled({ id, call }: { id: string; call: ForeignCall }, form: Shown['form']): Item {
  const { toolName, args } = call
  const action = { name: toolName, args, arguments: args, description: 'Decided already.', id }
  const config =
    form === 'snake' ? { action_name: toolName, allowed_decisions: [] } : { actionName: toolName, allowedDecisions: [] }
  return { action, config }
}
