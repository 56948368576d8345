import { z } from 'zod'
import { lazy } from '../protocol/checks/lazy.ts'
import type { Tool } from '../runtime/definition/definition.ts'
import { tool } from '../runtime/definition/tool/tool.ts'
import type { ToolContext } from '../runtime/definition/tool/tool-context.ts'
import { toolOutput } from '../runtime/definition/tool/tool-output.ts'
import { type BuiltInOptions, checkBuiltIn, checkMethods, FILES } from './options.ts'

const path = lazy(() => z.string().min(1))
const operation = lazy(() =>
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('create_file'), path: path(), diff: z.string() }),
    z.object({ type: z.literal('update_file'), path: path(), diff: z.string() }),
    z.object({ type: z.literal('delete_file'), path: path() }),
  ]),
)
/** A change to one file that a model requests. */
export type PatchOperation = z.infer<ReturnType<typeof operation>>

/** The result of a change. `undefined` means success. */
type PatchResult = { status?: 'completed' | 'failed'; output?: string } | undefined

type Edit<TType extends PatchOperation['type']> = (
  operation: Extract<PatchOperation, { type: TType }>,
  ctx: ToolContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: methods that return nothing must fit
) => PatchResult | void | Promise<PatchResult | void>

/** Changes files. The application decides which files it may reach. */
export interface PatchEditor {
  createFile: Edit<'create_file'>
  updateFile: Edit<'update_file'>
  deleteFile: Edit<'delete_file'>
}

/** Options of `applyPatchTool`. */
export interface ApplyPatchToolOptions extends BuiltInOptions<PatchOperation> {
  editor: PatchEditor
}

/** A tool that changes files through the application's own editor. People see the diff. */
export function applyPatchTool(options: ApplyPatchToolOptions): Tool {
  const { name = 'apply_patch', needsApproval = true, onApproval, risk = 'high', editor } = options
  checkBuiltIn(name, options, ['editor'])
  checkMethods(name, editor, { what: 'an editor', methods: ['createFile', 'updateFile', 'deleteFile'] })
  return tool({
    name,
    description: options.description ?? 'Creates, changes or deletes a file.',
    parameters: z.object({ operation: operation() }),
    needsApproval:
      typeof needsApproval === 'function'
        ? (runContext, args, callId) => needsApproval(runContext, args.operation, callId)
        : needsApproval,
    ...(onApproval ? { onApproval } : {}),
    line: FILES,
    risk,
    ...(options.timeoutSeconds === undefined ? {} : { timeoutSeconds: options.timeoutSeconds }),
    preview: (args) => toDiff(args.operation),
    execute: async ({ operation: asked }, ctx) => {
      const { status = 'completed', output } = (await edit(editor, asked, ctx)) ?? {}
      const content = output ?? `${asked.type} ${asked.path}: ${status}`
      const data = { status, ...(output === undefined ? {} : { output }) }
      return toolOutput({ content, data, ...(status === 'failed' ? { isError: true } : {}) })
    },
  })
}

function edit(editor: PatchEditor, asked: PatchOperation, ctx: ToolContext): ReturnType<PatchEditor['createFile']> {
  switch (asked.type) {
    case 'create_file':
      return editor.createFile(asked, ctx)
    case 'update_file':
      return editor.updateFile(asked, ctx)
    case 'delete_file':
      return editor.deleteFile(asked, ctx)
    default:
      return asked satisfies never
  }
}

const HEADS = { create_file: 'Add', update_file: 'Update', delete_file: 'Delete' } as const

function toDiff(asked: PatchOperation): string {
  const head = `*** ${HEADS[asked.type]} File: ${asked.path}`
  return 'diff' in asked ? `${head}\n${asked.diff}` : head
}
