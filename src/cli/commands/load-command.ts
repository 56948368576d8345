import type { Command } from '../command-line/command.ts'

/** Loads the code of a command. The one of hooks is loaded alone: a coding agent runs it with each of its tool calls. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  if (name === 'gate') return (await import('./gate/gate.ts')).gate
  const { commandGroups } = await import('./index.ts')
  return commandGroups.flatMap(({ commands }) => commands).find((command) => command.name === name)
}
