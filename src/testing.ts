export type { CrashPoint } from './ports/crash-points.ts'
export type {
  AdapterCase,
  AdapterGuarantee,
  AdapterHarness,
  AdapterHost,
  HostAnswer,
  HostCall,
  HostCallState,
  HostSetup,
  HostTool,
  HostTurn,
} from './testing/adapter-suite/adapter-case.ts'
export {
  adapterConformance,
  adapterSkipReasons,
  runAdapterConformance,
} from './testing/adapter-suite/conformance.ts'
export { brokenStores } from './testing/broken-stores/all.ts'
export type { BrokenStore } from './testing/broken-stores/broken-store.ts'
export { brokenStreams } from './testing/broken-streams/all.ts'
export type { BrokenStreams } from './testing/broken-streams/broken-streams.ts'
export type {
  ChannelCase,
  ChannelGuarantee,
  ChannelHarness,
  OpenChannel,
} from './testing/channel-suite/channel-case.ts'
export {
  channelConformance,
  channelSkipReasons,
  runChannelConformance,
} from './testing/channel-suite/conformance.ts'
export { withCrashPoints } from './testing/crash-points.ts'
export { type FakeClock, fakeClock } from './testing/fake-clock.ts'
export type { QueueCase, QueueGuarantee, QueueHarness } from './testing/queue-suite/queue-case.ts'
export { queueSkipReasons, queueSuite, runQueueSuite } from './testing/queue-suite/suite.ts'
export type { ConformanceReport, Skip } from './testing/run-cases.ts'
export { NoopChannel, type ScriptedAnswer, ScriptedChannel } from './testing/scripted-channel.ts'
export {
  type RecordedRequest,
  ScriptExhausted,
  type ScriptedModel,
  type ScriptStep,
  ScriptUnconsumed,
  scriptedModel,
} from './testing/scripted-model.ts'
export {
  runStoreConformance,
  skipReasons,
  storeConformance,
} from './testing/store-suite/conformance.ts'
export type { Guarantee, StoreCase, StoreHarness } from './testing/store-suite/store-case.ts'
export {
  runStreamsConformance,
  streamsConformance,
  streamsSkipReasons,
} from './testing/streams-suite/conformance.ts'
export type { StreamsCase, StreamsGuarantee, StreamsHarness } from './testing/streams-suite/streams-case.ts'
