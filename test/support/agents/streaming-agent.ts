import { Agent, type AgentEvent, type Model, type Tool } from '../../../src/index.ts'
import type { ModelPart, ModelRequest } from '../../../src/ports.ts'
import type { LivePart } from '../../../src/protocol/event.ts'
import { type ScriptStep, scriptedModel } from '../../../src/testing.ts'

/** An agent whose model plays a script in parts. */
export function streaming(script: readonly ScriptStep[], tools: readonly Tool[] = []) {
  const model = scriptedModel(script, { stream: true })
  return { model, agent: new Agent({ name: 'clerk', model, tools }) }
}

/** A model whose answers are generators of the test's own. */
export function partwise(respond: (request: ModelRequest, turn: number) => AsyncIterable<ModelPart>): Model {
  let turn = 0
  return {
    respond(request) {
      turn += 1
      return respond(request, turn)
    },
  }
}

/** What the live parts among events say. */
export function partsIn(events: readonly AgentEvent[]): LivePart[] {
  return events.flatMap((event) => (event.type === 'model_part' ? [event.part] : []))
}

/** The types of events, the live parts left out. */
export function storedTypes(events: readonly AgentEvent[]): string[] {
  return events.flatMap(({ type }) => (type === 'model_part' ? [] : [type]))
}
