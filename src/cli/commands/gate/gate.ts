import type { Call, Command } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/errors.ts'
import { toSeconds } from '../../command-line/time-span.ts'
import { type HookAnswer, type HookHost, hostNames } from '../../gate/hook.ts'
import { denial, hookGate, type Known } from '../../gate/hook-gate.ts'
import { hosts, isHostName } from '../../gate/hosts/find-host.ts'
import { gatePlace, gatePlaceOptions, withGate } from '../../gate/open-gate.ts'

/** How long before the host's own limit the answer is given. */
const MARGIN_SECONDS = 10
/** The shortest limit of a host, for input that is of no known one. */
const SHORTEST_LIMIT = 30
/** The longest input that is read. */
const LONGEST_INPUT = 64 * 1024 * 1024

/** Holds the tool calls of a coding agent: the command of its hooks. */
export const gate: Command = {
  name: 'gate',
  summary: 'hold the tool calls of a coding agent: for its hooks',
  about:
    'Reads the JSON of a hook from standard input, waits until a person has decided, and answers in the form of the host. Whatever fails is a denial, and so is a call that nobody decided in time: the same call made again finds the request. Hooks that run after a tool record its end.',
  usage: '[--host NAME] (--gateway URL | --policy FILE [--store PLACE])',
  options: {
    host: { value: 'NAME', help: `${hostNames.join(', ')} (default: by the input)` },
    ...gatePlaceOptions,
    limit: {
      value: 'TIME',
      help: "the host's own limit for this hook, as its configuration says (default: the host's default)",
    },
    wait: { value: 'TIME', help: 'how long to wait for a person (default: until 10 s before the limit)' },
  },
  positionals: { min: 0, max: 0 },
  examples: [
    'gate --host claude-code --gateway https://approvals.example.com',
    'gate --host codex --policy policy.mjs --limit 1h',
  ],
  async run(call) {
    const known: Known = { host: hostNamed(call), event: 'PreToolUse', isOver: false }
    const { context } = call
    context.answerOnly((problem) => denial(known, problem))
    const stop = context.takeSignals()
    const { until, last } = deadlinesOf(call, known.host)
    const work = answerOf(call, known, { until, signal: stop.signal })
    const answer = await Promise.race([work, atDeadline(known, last - performance.now()), atSignal(known, stop.signal)])
    // Whatever is still under way must not keep the host waiting beyond its limit.
    return context.quit(answer)
  },
}

async function answerOf(
  call: Call,
  known: Known,
  { until, signal }: { until: number; signal: AbortSignal },
): Promise<HookAnswer> {
  try {
    const place = gatePlace(call)
    return await hookGate(known, await readInput(call), {
      withGate: (host, work) => withGate(call, { place, host: host.name }, work),
      until,
      signal,
      now: () => performance.now(),
    })
  } catch (error) {
    return denial(known, error instanceof Error ? error.message : String(error))
  }
}

/**
 * When the gate gives up, which can name the request, and when the answer is given without it, because a store hangs, say. Both are before the host's limit.
 * Both are counted from the start of the process, by a clock that nobody sets.
 */
function deadlinesOf(call: Call, host: HookHost | undefined): { until: number; last: number } {
  const given = call.text('limit')
  const limit = given === undefined ? (host?.limitSeconds ?? SHORTEST_LIMIT) : toSeconds('limit', given)
  const margin = Math.min(MARGIN_SECONDS, limit / 2)
  const wait = call.text('wait')
  const usable = limit - margin
  const seconds = wait === undefined ? usable : Math.min(usable, toSeconds('wait', wait))
  return { until: seconds * 1000, last: (limit - margin / 2) * 1000 }
}

async function atDeadline(known: Known, ms: number): Promise<HookAnswer> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
  return denial(known, 'it got no answer in time. Make the same call again.')
}

async function atSignal(known: Known, signal: AbortSignal): Promise<HookAnswer> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  return denial(known, 'it was told to stop. Make the same call again.')
}

async function readInput({ context: { stdin } }: Call): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > LONGEST_INPUT) throw new Error('the input is too long')
  }
  return Buffer.concat(chunks).toString('utf8')
}

function hostNamed(call: Call): HookHost | undefined {
  const name = call.text('host')
  if (name === undefined) return undefined
  if (!isHostName(name)) throw new UsageError(`--host is ${hostNames.join(', ')}, not '${name}'`)
  return hosts[name]
}
