import type { JsonObject } from '../../../protocol/json/json.ts'
import type { Forwarding } from '../upstream/upstream.ts'
import { type AskedRequest, forwardedParams, objectOr } from '../wire/messages.ts'
import { aboutPrompt, aboutResource, listAll, listTools, PROMPTS } from './lists.ts'
import type { RoomParts } from './room.ts'

/**
 * Answers a request that is not a call of a tool, from the servers behind the proxy. Resolves to nothing for a method that is not known here: it could have
 * effects, and nobody would be asked about them.
 */
export async function passOn(
  parts: RoomParts,
  request: AskedRequest,
  forwarding: Forwarding,
): Promise<JsonObject | undefined> {
  const { method, params = {} } = request
  switch (method) {
    case 'tools/list':
      return listTools(parts)
    case 'prompts/list':
      return listAll(parts, PROMPTS, forwarding)
    case 'resources/list':
      return listAll(parts, { method, key: 'resources', capability: 'resources' }, forwarding)
    case 'resources/templates/list':
      return listAll(parts, { method, key: 'resourceTemplates', capability: 'resources' }, forwarding)
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return aboutResource(parts, request, forwarding)
    case 'prompts/get': {
      const rename = (given: JsonObject, name: string): JsonObject => ({ ...given, name })
      return aboutPrompt(parts, request, { ...forwarding, shown: String(params.name), rename })
    }
    case 'completion/complete':
      return complete(parts, request, forwarding)
    case 'logging/setLevel':
      return setLevel(parts, request, forwarding)
    default:
      return undefined
  }
}

async function complete(parts: RoomParts, request: AskedRequest, forwarding: Forwarding): Promise<JsonObject> {
  const ref = objectOr(request.params?.ref)
  if (ref.type !== 'ref/prompt') return aboutResource(parts, request, forwarding)
  const rename = (given: JsonObject, name: string): JsonObject => ({ ...given, ref: { ...ref, name } })
  return aboutPrompt(parts, request, { ...forwarding, shown: String(ref.name), rename })
}

async function setLevel(
  { room }: RoomParts,
  { method, params }: AskedRequest,
  forwarding: Forwarding,
): Promise<JsonObject> {
  for (const upstream of room.upstreams.values()) {
    const { capabilities } = await upstream.describe()
    if (capabilities.logging) await upstream.request({ method, params: forwardedParams(params) }, forwarding)
  }
  return {}
}
