export { NoopChannel, type ScriptedAnswer, ScriptedChannel } from './testing/scripted-channel.ts'
export {
  type RecordedRequest,
  ScriptExhausted,
  type ScriptedModel,
  type ScriptStep,
  ScriptUnconsumed,
  scriptedModel,
} from './testing/scripted-model.ts'
