import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandGroup } from './command.ts'
import { packageFolder } from './package-folder.ts'

/** Where the build writes all that JSON can hold of the commands: everything but what they do. */
const OUTLINE = 'dist/cli/outline.json'

/** The commands as help and the parser need them. Their code is loaded when one is run. */
export function outlinedCommands(load: () => Promise<readonly CommandGroup[]>): CommandGroup[] {
  const outline = JSON.parse(readFileSync(join(packageFolder(), OUTLINE), 'utf8')) as CommandGroup[]
  return outline.map(({ title, commands }, group) => ({
    title,
    commands: commands.map((command, index) => ({
      ...command,
      run: async (call) => {
        const loaded = (await load())[group]?.commands[index]
        if (loaded?.name !== command.name) throw new Error(`${OUTLINE} is of another build`)
        return loaded.run(call)
      },
    })),
  }))
}
