export * from "./database.ts";
export { type RunningTestCluster, startTestCluster, type TestCluster } from "./test-cluster.ts";
