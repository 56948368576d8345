import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command, CommandGroup } from './command.ts'
import { packageFolder } from './package-folder.ts'

/** Where the build writes all that JSON can hold of the commands: everything but what they do. */
const OUTLINE = 'dist/cli/outline.json'

/** The commands as help and the parser need them. Their code is loaded when one is run. */
export function outlinedCommands(load: (name: string) => Promise<Command | undefined>): CommandGroup[] {
  const outline = JSON.parse(readFileSync(join(packageFolder(), OUTLINE), 'utf8')) as CommandGroup[]
  return outline.map(({ title, commands }) => ({
    title,
    commands: commands.map((command) => ({
      ...command,
      run: async (call) => {
        const loaded = await load(command.name)
        if (loaded?.name !== command.name) throw new Error(`${OUTLINE} is of another build`)
        return loaded.run(call)
      },
    })),
  }))
}
