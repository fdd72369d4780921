export * from "./adapter.ts";
export { fenced } from "./driver-fence.ts";
export { createFakeAdapter, livingAgent } from "./fake/fake-adapter.ts";
export { type FakeScript, fakeFolder, scenarios } from "./fake/folder.ts";
export * from "./prompt-envelope.ts";
export * from "./session-machine.ts";
