// Scripted model and people

export type { CrashPoint } from './ports/crash-points.ts'
export { brokenStores } from './testing/broken-stores/all.ts'
export type { BrokenStore } from './testing/broken-stores/broken-store.ts'
export type {
  ChannelCase,
  ChannelGuarantee,
  ChannelHarness,
  OpenChannel,
} from './testing/channel-suite/channel-case.ts'
// For authors of channels
export {
  type ChannelConformanceReport,
  channelConformance,
  channelSkipReasons,
  runChannelConformance,
} from './testing/channel-suite/conformance.ts'
export { withCrashPoints } from './testing/crash-points.ts'
// Time and crashes
export { type FakeClock, fakeClock } from './testing/fake-clock.ts'
export { NoopChannel, type ScriptedAnswer, ScriptedChannel } from './testing/scripted-channel.ts'
export {
  type RecordedRequest,
  ScriptExhausted,
  type ScriptedModel,
  type ScriptStep,
  ScriptUnconsumed,
  scriptedModel,
} from './testing/scripted-model.ts'
// For authors of stores
export {
  type ConformanceReport,
  runStoreConformance,
  skipReasons,
  storeConformance,
} from './testing/store-suite/conformance.ts'
export type { Guarantee, StoreCase, StoreHarness, StoreSkip } from './testing/store-suite/store-case.ts'
