import { applyPatchTool, type Computer, computerTool, shellTool } from '../../../src/index.ts'
import type { Tool } from '../../../src/runtime/definition/definition.ts'
import type { ApplyPatchToolOptions } from '../../../src/tools/apply-patch.ts'
import type { ComputerToolOptions } from '../../../src/tools/computer.ts'
import type { ShellToolOptions } from '../../../src/tools/shell.ts'

/** A shell that only notes what it was told to run. */
export function shell(options: Partial<ShellToolOptions> = {}, ran: string[] = []): Tool & { ran: string[] } {
  const made = shellTool({
    shell: {
      async run({ commands }) {
        for (const command of commands) {
          ran.push(`begin ${command}`)
          await new Promise((resolve) => setTimeout(resolve, 1))
          ran.push(`end ${command}`)
        }
        return { output: commands.map((stdout) => ({ stdout, stderr: '', outcome: { type: 'exit', exitCode: 0 } })) }
      },
    },
    ...options,
  })
  return { ...made, ran }
}

/** An editor that only notes what it was told to change. */
export function editor(options: Partial<ApplyPatchToolOptions> = {}, ran: string[] = []): Tool & { ran: string[] } {
  const note = async ({ type, path }: { type: string; path: string }) => {
    ran.push(`begin ${type} ${path}`)
    await new Promise((resolve) => setTimeout(resolve, 1))
    ran.push(`end ${type} ${path}`)
    return undefined
  }
  return { ...applyPatchTool({ editor: { createFile: note, updateFile: note, deleteFile: note }, ...options }), ran }
}

/** A computer that only notes what is done at it. */
export function desktop(options: Partial<ComputerToolOptions> = {}): Tool & { did: unknown[] } {
  const did: unknown[] = []
  const note =
    (what: string) =>
    async (...args: unknown[]): Promise<void> => {
      did.push([what, ...args])
    }
  const computer: Computer = {
    screenshot: async () => 'aGk=',
    click: note('click'),
    doubleClick: note('doubleClick'),
    scroll: note('scroll'),
    type: note('type'),
    wait: note('wait'),
    move: note('move'),
    keypress: note('keypress'),
    drag: note('drag'),
  }
  return { ...computerTool({ computer, ...options }), did }
}
