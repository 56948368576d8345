import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import type { InboxClient } from '../client/v1/inbox-client.ts'
import type { HeldStorage } from './store/held-storage.ts'
import { InboxStore } from './store/inbox-store.ts'

const Context = createContext<InboxStore | undefined>(undefined)

/** What `InboxProvider` takes. */
export interface InboxProviderProps {
  /** Made by `createInboxClient` of `holdpoint/client`. */
  client: InboxClient
  /**
   * Where decisions that are held without a connection survive a reload, such as `sessionStorage`: for one person, until they are sent, discarded or
   * the person signs out (`useSignOut`). Default: nowhere, they end with the page.
   */
  storage?: HeldStorage
  children?: ReactNode
}

/** Gives the hooks inside of it one client, one live connection, and one memory of what was loaded. Another client starts anew. */
export function InboxProvider({ client, storage, children }: InboxProviderProps): ReactNode {
  const [held, setHeld] = useState(() => new InboxStore(client, storage))
  const store = held.api === client ? held : new InboxStore(client, storage)
  if (store !== held) setHeld(store)
  useEffect(() => store.open(), [store])
  return <Context.Provider value={store}>{children}</Context.Provider>
}

/** The store of the provider around it. */
export function useStore(): InboxStore {
  const store = useContext(Context)
  if (store === undefined) throw new Error('Hooks of holdpoint/react need an <InboxProvider> around them.')
  return store
}
