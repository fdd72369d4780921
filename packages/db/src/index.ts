export { type BackupReport, backupDatabase } from "./backup/backup-database.ts";
export { type RestoreOptions, type RestoreReport, restoreDatabase } from "./backup/restore-database.ts";
export {
  applicationName,
  type ConnectionTarget,
  connectAsAdmin,
  type Sql,
  type Transaction,
} from "./connection-target.ts";
export * from "./embedded-postgres.ts";
export type { LastStatement } from "./line.ts";
export { schemaHash } from "./migrate.ts";
export { type Database, migrate, type OpenDatabaseOptions, openDatabase, pendingMigrations } from "./open-database.ts";
export type { Claims, ClaimsOptions } from "./with-claims.ts";
