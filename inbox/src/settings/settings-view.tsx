import type { Me } from 'holdpoint/client'
import { useMe, useSignOut } from 'holdpoint/react'
import { type ReactNode, useState } from 'react'
import { go } from '../app/use-route.ts'
import { SafeText } from '../card/values/safe-text.tsx'
import { useFormat, useWords } from '../i18n/i18n.tsx'
import { Failure, Skeleton } from '../view/loading.tsx'
import { mayOperate } from '../view/may-audit.ts'
import { View } from '../view/view.tsx'
import { Group } from './group.tsx'
import { PageSettings } from './page-settings.tsx'
import { Sessions } from './sessions.tsx'
import { StuckThreads } from './stuck-threads.tsx'
import { Webhooks } from './webhooks.tsx'
import { words } from './words.ts'
import './settings.css'

/** Who is signed in, how the page behaves on this device, sign-ins, stuck threads for operators, and webhooks for admins. */
export default function SettingsView() {
  const text = useWords(words)
  const { data: me, state, error, reload } = useMe()
  return (
    <View title={text.title} text={text.text}>
      {state === 'failed' && <Failure error={error} onRetry={() => void reload()} />}
      {state === 'loading' && <Skeleton />}
      {me !== undefined && <You me={me} />}
      <PageSettings />
      {me !== undefined && <Sessions me={me} />}
      {me !== undefined && mayOperate(me) && <StuckThreads />}
      {me?.roles.includes('admin') && <Webhooks />}
    </View>
  )
}

function You({ me }: { me: Me }) {
  const text = useWords(words)
  const format = useFormat()
  const facts: [string, ReactNode][] = [
    [text.person, <SafeText key="id" text={me.id} />],
    [text.roles, me.roles.length === 0 ? text.noRoles : <SafeText key="roles" text={me.roles.join(', ')} />],
    [text.groups, me.groups.length === 0 ? text.noGroups : <SafeText key="groups" text={me.groups.join(', ')} />],
    [text.tenant, <SafeText key="tenant" text={me.tenant} />],
    [text.until, me.expiresAt === undefined ? text.noEnd : format.day(Date.parse(me.expiresAt))],
    [text.undo, text.undoText(me.undoSeconds)],
    [text.previews, me.previews ? text.previewsYes : text.previewsNo],
  ]
  return (
    <Group title={text.you}>
      <dl className="facts-list">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <SignOut />
    </Group>
  )
}

function SignOut() {
  const text = useWords(words)
  const leave = useSignOut()
  const [state, setState] = useState<'idle' | 'working' | { error: unknown }>('idle')
  const signOut = async () => {
    setState('working')
    try {
      await leave()
      go({ view: 'signin' })
      // Nothing that was loaded for this person stays in memory.
      location.reload()
    } catch (error) {
      setState({ error })
    }
  }
  return (
    <>
      {typeof state === 'object' && <Failure error={state.error} />}
      <button
        type="button"
        className="btn"
        aria-disabled={state === 'working' || undefined}
        onClick={() => void signOut()}
      >
        {state === 'working' ? text.signingOut : text.signOut}
      </button>
    </>
  )
}
