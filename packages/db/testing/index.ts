/** For the tests of other packages: `@devflow/db/testing`. */
export { schemaHash } from "../src/migrate.ts";
export { startPooler } from "./start-pooler.ts";
export { type SupabaseCluster, startSupabaseCluster } from "./supabase-cluster.ts";
