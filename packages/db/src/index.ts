export { type BackupReport, backupDatabase } from "./backup/backup-database.ts";
export { type RestoreOptions, type RestoreReport, restoreDatabase } from "./backup/restore-database.ts";
export {
  applicationName,
  type ConnectionTarget,
  connectAsAdmin,
  type Sql,
  type Transaction,
} from "./connection-target.ts";
export type { LastStatement } from "./line.ts";
export { schemaHash } from "./migrate.ts";
export { type Database, migrate, type OpenDatabaseOptions, openDatabase, pendingMigrations } from "./open-database.ts";
export type { PackedPostgres } from "./postgres/binaries.ts";
export { placesFor as postgresPlaces } from "./postgres/places.ts";
export {
  findPostgres,
  type PostgresCluster,
  postgresLogFile,
  type StartPostgresOptions,
  startPostgres,
} from "./postgres/start-postgres.ts";
export type { Claims, ClaimsOptions } from "./with-claims.ts";
