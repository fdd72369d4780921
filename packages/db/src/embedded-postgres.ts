/** The embedded Postgres without the driver, which is loaded only when there is something to connect to. */
export type { PackedPostgres } from "./postgres/binaries.ts";
export { placesFor as postgresPlaces } from "./postgres/places.ts";
export {
  findPostgres,
  type PostgresCluster,
  postgresLogFile,
  startPostgres,
} from "./postgres/start-postgres.ts";
