export * from "./database.ts";
export { type PostgresFolder, postgresFolder } from "./postgres-folder.ts";
export { type RunningTestCluster, startTestCluster, type TestCluster } from "./test-cluster.ts";
