import { pause } from '../support/until.ts'
import type { Member, Place } from './place.ts'
import type { Fault, ProcessName } from './plan.ts'

/** Makes things go wrong, and right again. */
export interface Trouble {
  /** Resolves when the fault is over. */
  happen(fault: Fault): Promise<void>
  /** Ends what is left of all faults: everything runs and is connected. */
  calm(): Promise<void>
}

/** Makes trouble in a place. */
export function makeTrouble({ members, postgres, redis }: Place): Trouble {
  const armed: { forget(): void }[] = []
  const servers = { postgres: Promise.resolve(), redis: Promise.resolve() }

  /** Restarts of one server follow one another. */
  function restart({ on, how, forMs }: Extract<Fault, { kind: 'restart' }>): Promise<void> {
    const server = on === 'postgres' ? postgres : redis
    servers[on] = servers[on].then(async () => {
      await server[how]()
      await pause(forMs)
      await server.start()
    })
    return servers[on]
  }

  async function happenTo(member: Member, fault: Exclude<Fault, { kind: 'restart' }>): Promise<void> {
    const { unit } = member
    const both = [member.postgres, member.redis]
    switch (fault.kind) {
      case 'kill':
        await unit.kill()
        await pause(fault.forMs)
        return unit.start()
      case 'freeze':
        unit.freeze(true)
        await pause(fault.forMs)
        return unit.freeze(false)
      case 'cut':
        for (const proxy of both) proxy.set(false)
        await pause(fault.forMs)
        for (const proxy of both) proxy.set(true)
        return
      case 'delay':
        for (const proxy of both) proxy.delay(true)
        await pause(fault.forMs)
        for (const proxy of both) proxy.delay(false)
        return
      case 'silence':
        for (const proxy of both) proxy.silence(true)
        await pause(fault.forMs)
        for (const proxy of both) proxy.silence(false)
        return
      case 'lose':
        armed.push(member.postgres.cutAt(fault.text, fault.cut))
        return
      case 'clock':
        return unit.jump(fault.byMs)
      case 'deploy':
        member.versions = fault.versions
        await unit.stop()
        return unit.start()
      default:
        fault satisfies never
    }
  }

  return {
    happen: (fault) => (fault.kind === 'restart' ? restart(fault) : happenTo(memberOf(members, fault.on), fault)),
    async calm() {
      for (const { forget } of armed) forget()
      await Promise.all(Object.values(servers))
      await Promise.all([...members.values()].map(({ unit }) => unit.start()))
    },
  }
}

function memberOf(members: Place['members'], name: ProcessName): Member {
  const found = members.get(name)
  if (!found) throw new Error(`no process is called ${name}`)
  return found
}
