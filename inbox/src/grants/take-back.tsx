import type { GrantItem } from 'holdpoint/client'
import { type ReactNode, useId, useState } from 'react'
import { visible } from '../../../src/core/display/visible.ts'
import { SafeText } from '../card/values/safe-text.tsx'
import { useWords } from '../i18n/i18n.tsx'
import { useAnnounce } from '../shell/announcer.tsx'
import { Dialog } from '../shell/dialog.tsx'
import { ReasonForm } from '../shell/reason-form.tsx'
import { Select } from '../shell/select.tsx'
import { useReason } from '../view/loading.tsx'
import { nameOf } from './grant-name.ts'
import { words } from './words.ts'

type Revoke = (id: string, reason?: string) => Promise<void>

/** Asks before a grant is ended. */
export function TakeBackOne({ grant, revoke, onClose }: { grant: GrantItem; revoke: Revoke; onClose: () => void }) {
  const text = useWords(words)
  return (
    <TakeBack title={text.confirmTitle} grants={[grant]} revoke={revoke} onClose={onClose}>
      <p>
        <strong>
          <SafeText text={nameOf(grant, text)} />
        </strong>
      </p>
    </TakeBack>
  )
}

/** Ends all grants of one agent. */
export function TakeBackAgent({
  grants,
  revoke,
  onClose,
}: {
  grants: GrantItem[]
  revoke: Revoke
  onClose: () => void
}) {
  const text = useWords(words)
  const id = useId()
  const agents = [...new Set(grants.map((grant) => grant.agent))]
  const [agent, setAgent] = useState(agents[0] ?? '')
  const chosen = grants.filter((grant) => grant.agent === agent)
  const countOf = (name: string) => grants.filter((grant) => grant.agent === name).length
  return (
    <TakeBack title={text.takeAgentTitle} grants={chosen} revoke={revoke} onClose={onClose}>
      <div className="form-row">
        <label className="label" htmlFor={id}>
          {text.whichAgent}
        </label>
        <Select id={id} value={agent} onChange={(event) => setAgent(event.currentTarget.value)}>
          {agents.map((name) => (
            <option key={name} value={name}>
              {text.grantsOf(visible(name), countOf(name))}
            </option>
          ))}
        </Select>
      </div>
    </TakeBack>
  )
}

interface TakeBackProps {
  title: string
  grants: readonly GrantItem[]
  revoke: Revoke
  onClose: () => void
  children: ReactNode
}

function TakeBack({ title, grants, revoke, onClose, children }: TakeBackProps) {
  const text = useWords(words)
  const say = useAnnounce()
  const reasonOf = useReason()
  const [state, setState] = useState<{ working: boolean; problem?: string }>({ working: false })
  const end = async (reason: string) => {
    setState({ working: true })
    const results = await Promise.allSettled(
      grants.map((grant) => revoke(grant.id, reason === '' ? undefined : reason)),
    )
    const failed = results.filter((result) => result.status === 'rejected')
    if (failed.length === 0) {
      say(text.taken(grants.map((grant) => nameOf(grant, text)).join('; ')))
      onClose()
    } else setState({ working: false, problem: `${text.notAll(failed.length)} ${reasonOf(failed[0]?.reason)}` })
  }
  const { working, problem } = state
  const takeBack = grants.length === 1 ? text.takeBack : text.takeAll(grants.length)
  const labels = { text: text.confirmText, label: text.reason, cancel: text.cancel }
  return (
    <Dialog title={title} narrow onClose={onClose}>
      <ReasonForm
        {...labels}
        submit={working ? text.working : takeBack}
        working={working}
        problem={problem}
        onCancel={onClose}
        onSubmit={(reason) => void end(reason)}
      >
        {children}
      </ReasonForm>
    </Dialog>
  )
}
