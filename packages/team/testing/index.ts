/** For the tests of other packages: `@devflow/team/testing`. */

export { teachServer } from "./teach-server.ts";
export { people, yearOfRecords } from "./year-of-records.ts";
