export {
  applicationName,
  type ConnectionTarget,
  connectAsAdmin,
  type Sql,
  type Transaction,
} from "./connection-target.ts";
export { type Sanitised, safeJsonb } from "./jsonb.ts";
export { schemaHash } from "./migrate.ts";
export { type Database, type OpenDatabaseOptions, openDatabase } from "./open-database.ts";
export type { PackedPostgres } from "./postgres/binaries.ts";
export { placesFor as postgresPlaces } from "./postgres/places.ts";
export { type PostgresCluster, type StartPostgresOptions, startPostgres } from "./postgres/start-postgres.ts";
export type { Claims, ClaimsOptions } from "./with-claims.ts";
