export { type BackupFile, backupDatabase } from "./backup/backup-database.ts";
export { restoreDatabase } from "./backup/restore-database.ts";
export { type ConnectionTarget, connectAsAdmin, type Sql, type Transaction } from "./connection-target.ts";
export { findPostgres, postgresPlaces } from "./embedded-postgres.ts";
export type { HeldLock } from "./held-lock.ts";
export type { LastStatement } from "./line.ts";
export { type Database, openDatabase, pendingMigrations } from "./open-database.ts";
export type { Claims } from "./with-claims.ts";
